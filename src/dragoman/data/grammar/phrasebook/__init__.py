"""The phrasebook: everyday sentences and idioms that no grammar would make."""
