"""What other toolkits call our keys: for the manual, and for those who type their old names."""

from typing import NamedTuple


class Names(NamedTuple):
    """A key in the words of fairseq, of OpenNMT-py (and eole), and of Hugging Face."""

    fairseq: str = ""
    opennmt: str = ""
    huggingface: str = ""


SYNONYMS: dict[str, Names] = {
    "seed": Names("seed", "seed", "seed"),
    "corpus.train": Names("trainpref", "data.corpus.path_src / path_tgt", "train_file"),
    "corpus.valid": Names("validpref", "data.valid.path_src / path_tgt", "validation_file"),
    "corpus.test": Names("testpref", "src / tgt", "test_file"),
    "corpus.source_language": Names("source-lang", "", "source_lang"),
    "corpus.target_language": Names("target-lang", "", "target_lang"),
    "tokenizer.kind": Names("bpe", "src_subword_type", "tokenizer_class"),
    "tokenizer.vocabulary": Names("nwordssrc", "src_vocab_size", "vocab_size"),
    "tokenizer.shared": Names("joined-dictionary", "share_vocab", "share_encoder_decoder_vocab"),
    "tokenizer.dropout": Names("", "src_subword_alpha", "dropout (tokenizers)"),
    "augmentation.upper": Names("", "upper_corpus_ratio", ""),
    "batches.tokens": Names("max-tokens", "batch_size (batch_type: tokens)", "train_batch_size"),
    "batches.longest": Names("max-source-positions", "src_seq_length", "max_source_length"),
    "batches.window": Names("", "bucket_size", "group_by_length"),
    "model.kind": Names("arch", "encoder_type", "model_type"),
    "model.width": Names("encoder-embed-dim", "hidden_size", "d_model"),
    "model.heads": Names("encoder-attention-heads", "heads", "encoder_attention_heads"),
    "model.decoder_heads": Names("decoder-attention-heads", "heads", "decoder_attention_heads"),
    "model.encoder_layers": Names("encoder-layers", "enc_layers", "encoder_layers"),
    "model.decoder_layers": Names("decoder-layers", "dec_layers", "decoder_layers"),
    "model.inner_width": Names("encoder-ffn-embed-dim", "transformer_ff", "encoder_ffn_dim"),
    "model.decoder_inner_width": Names(
        "decoder-ffn-embed-dim", "transformer_ff", "decoder_ffn_dim"
    ),
    "model.norm": Names("encoder-normalize-before", "", "normalize_before"),
    "model.activation": Names("activation-fn", "pos_ffn_activation_fn", "activation_function"),
    "model.positions": Names("encoder-learned-pos", "position_encoding_type", ""),
    "model.longest": Names("max-target-positions", "", "max_position_embeddings"),
    "model.tied": Names(
        "share-all-embeddings", "share_embeddings / share_decoder_embeddings", "tie_word_embeddings"
    ),
    "model.dropout": Names("dropout", "dropout", "dropout"),
    "model.attention_dropout": Names("attention-dropout", "attention_dropout", "attention_dropout"),
    "model.inner_dropout": Names("relu-dropout", "", "activation_dropout"),
    "model.word_dropout": Names("", "word_dropout", ""),
    "model.initialisation": Names("", "param_init_glorot", "init_std"),
    "objective.label_smoothing": Names(
        "label-smoothing", "label_smoothing", "label_smoothing_factor"
    ),
    "optimiser.kind": Names("optimizer", "optim", "optim"),
    "optimiser.rate": Names("lr", "learning_rate", "learning_rate"),
    "optimiser.betas": Names("adam-betas", "adam_beta1 / adam_beta2", "adam_beta1 / adam_beta2"),
    "optimiser.epsilon": Names("adam-eps", "adam_eps", "adam_epsilon"),
    "optimiser.decay": Names("weight-decay", "weight_decay", "weight_decay"),
    "optimiser.momentum": Names("momentum", "", ""),
    "schedule.kind": Names("lr-scheduler", "decay_method", "lr_scheduler_type"),
    "schedule.warmup": Names("warmup-updates", "warmup_steps", "warmup_steps"),
    "schedule.floor": Names("min-lr", "", "min_lr_rate"),
    "schedule.over": Names("total-num-update", "", ""),
    "schedule.factor": Names("lr-shrink", "learning_rate_decay", "factor (lr_scheduler_kwargs)"),
    "schedule.every": Names("", "decay_steps", ""),
    "schedule.patience": Names("lr-patience", "", "patience (lr_scheduler_kwargs)"),
    "training.steps": Names("max-update", "train_steps", "max_steps"),
    "training.accumulate": Names("update-freq", "accum_count", "gradient_accumulation_steps"),
    "training.clip": Names("clip-norm", "max_grad_norm", "max_grad_norm"),
    "training.checkpointing": Names(
        "checkpoint-activations", "use_ckpting", "gradient_checkpointing"
    ),
    "training.average": Names("ema-decay", "average_decay", ""),
    "training.precision": Names("fp16 / bf16", "model_dtype", "bf16"),
    "training.device": Names("cpu", "gpu_ranks", "use_cpu"),
    "training.log_every": Names("log-interval", "report_every", "logging_steps"),
    "training.validate_every": Names("validate-interval-updates", "valid_steps", "eval_steps"),
    "training.checkpoint_every": Names(
        "save-interval-updates", "save_checkpoint_steps", "save_steps"
    ),
    "training.patience": Names("patience", "early_stopping", "early_stopping_patience"),
    "training.judge": Names(
        "best-checkpoint-metric", "early_stopping_criteria", "metric_for_best_model"
    ),
    "training.keep": Names("keep-best-checkpoints", "keep_checkpoint", "save_total_limit"),
    "decoding.beam": Names("beam", "beam_size", "num_beams"),
    "decoding.groups": Names("diverse-beam-groups", "", "num_beam_groups"),
    "decoding.diversity": Names("diverse-beam-strength", "", "diversity_penalty"),
    "decoding.coverage": Names("", "beta (coverage_penalty: wu)", ""),
    "decoding.length_penalty": Names("lenpen", "alpha (length_penalty: avg)", "length_penalty"),
    "decoding.longest_ratio": Names("max-len-a", "max_length_ratio", ""),
    "decoding.longest_extra": Names("max-len-b", "max_length", "max_new_tokens"),
    "decoding.no_repeat": Names(
        "no-repeat-ngram-size", "block_ngram_repeat", "no_repeat_ngram_size"
    ),
    "decoding.batch_tokens": Names("max-tokens", "batch_size", "eval_batch_size"),
}


def our_name(foreign: str) -> str | None:
    """Return our key for a name of another toolkit, if just one of our keys has it."""
    wanted = foreign.replace("-", "_")
    ours = {
        key
        for key, names in SYNONYMS.items()
        for name in names
        if name.replace("-", "_") == wanted and key.rpartition(".")[2] != wanted
    }
    return ours.pop() if len(ours) == 1 else None
