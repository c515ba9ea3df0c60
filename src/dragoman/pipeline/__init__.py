"""Translation that can be relied on: whole files, what must survive, terms, doubts."""
