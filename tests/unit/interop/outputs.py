"""The same question to their network and to ours."""

import torch

from dragoman.engine.checkpoint.weights import load_weights
from dragoman.interop.network import network


def built(settings, words, tensors, where="test"):
    """Build our network with imported weights."""
    model = network(settings, words)
    load_weights(model, tensors, where)
    return model.eval()


def tokens(words, rows=3, length=13, seed=5):
    return torch.randint(5, words, (rows, length), generator=torch.Generator().manual_seed(seed))


@torch.no_grad()
def both_answers(ours, theirs):
    """Return our scores and theirs of the same tokens, for each head by its name."""
    words = theirs.config.vocab_size
    read = tokens(words)
    match type(theirs).__name__:
        case "GPT2LMHeadModel" | "LlamaForCausalLM":
            return {"next": (ours.output(ours.read(read)), theirs(input_ids=read).logits)}
        case "T5ForConditionalGeneration":
            read[1, 6:] = 0
            write = tokens(words, length=9, seed=6)
            seen = read.ne(0).long()
            wanted = theirs(input_ids=read, attention_mask=seen, decoder_input_ids=write).logits
            return {"next": (ours(read, write), wanted)}
        case _:
            return _encoded(ours, theirs, read)


def _encoded(ours, theirs, read):
    seen = torch.ones_like(read, dtype=torch.bool)
    seen[1, 7:] = False
    kinds = theirs.config.type_vocab_size
    segments = torch.arange(read.shape[1]).expand_as(read) % kinds
    answer = theirs(
        input_ids=read.masked_fill(~seen, theirs.config.pad_token_id),
        attention_mask=seen.long(),
        token_type_ids=segments,
    )
    states = ours.states(read, seen, segments)
    found = {}
    if "last_hidden_state" in answer:
        found["states"] = states[seen], answer.last_hidden_state[seen]
        found["pooled"] = ours.pooled(states), answer.pooler_output
    if "prediction_logits" in answer:
        found["words"] = ours.words(states)[seen], answer.prediction_logits[seen]
        follows = ours.follows(ours.pooled(states))
        found["follows"] = follows.flip(-1), answer.seq_relationship_logits
    elif ours.settings.classes:
        found["classes"] = ours.classify(read, seen, segments), answer.logits
    elif "logits" in answer:
        found["words"] = ours.words(states)[seen], answer.logits[seen]
    return found


@torch.no_grad()
def asked(theirs):
    """Return every tensor of scores that one of their networks gives of some tokens."""
    read = tokens(theirs.config.vocab_size)
    more = {"decoder_input_ids": read[:, :7]} if theirs.config.is_encoder_decoder else {}
    answer = theirs(input_ids=read, **more)
    names = ("logits", "prediction_logits", "seq_relationship_logits", "last_hidden_state")
    return [answer[name] for name in names if name in answer]
