"""Translation by CTranslate2: what it can hold, how it is written, and how it is asked."""
