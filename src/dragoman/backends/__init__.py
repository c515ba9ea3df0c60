"""Search engines for translation: our own search in torch, or CTranslate2."""
