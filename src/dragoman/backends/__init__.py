"""Who searches for a translation: our own search in torch, or CTranslate2."""
