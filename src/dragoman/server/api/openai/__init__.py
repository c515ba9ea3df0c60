"""Language models as OpenAI's interface has them."""
