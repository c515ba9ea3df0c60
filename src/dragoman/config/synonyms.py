"""Names of recipe keys: ours, our former ones, and those of fairseq, OpenNMT-py and Hugging Face.

One table for the reference, for those who type a name they know from elsewhere, and for runs and
recipes that were written before a key was renamed.
"""

from typing import NamedTuple


class Names(NamedTuple):
    """Other names of a key: our former one, and in fairseq, OpenNMT-py (eole) and Hugging Face."""

    former: str = ""
    fairseq: str = ""
    opennmt: str = ""
    huggingface: str = ""


SYNONYMS: dict[str, Names] = {
    "seed": Names("", "seed", "seed", "seed"),
    "task.mlm_probability": Names("share", "mask-prob", "", "mlm_probability"),
    "task.mask_replace_prob": Names("hidden", "", "", "mask_replace_prob"),
    "task.random_replace_prob": Names("replaced", "random-token-prob", "", "random_replace_prob"),
    "task.whole_word_masking": Names("whole_words", "mask-whole-words", "", "whole_word_mask"),
    "task.dynamic_masking": Names("every_epoch"),
    "task.noise_density": Names("share", "", "", "noise_density (T5)"),
    "task.mean_span_length": Names("mean", "", "", "mean_noise_span_length (T5)"),
    "task.masked_share": Names("hidden"),
    "task.max_keywords": Names("most"),
    "task.scale_jitter": Names("stretch"),
    "corpus.train": Names("", "trainpref", "data.corpus.path_src / path_tgt", "train_file"),
    "corpus.valid": Names("", "validpref", "data.valid.path_src / path_tgt", "validation_file"),
    "corpus.test": Names("", "testpref", "src / tgt", "test_file"),
    "corpus.source_language": Names("", "source-lang", "", "source_lang"),
    "corpus.target_language": Names("", "target-lang", "", "target_lang"),
    "corpus.max_characters": Names("longest"),
    "corpus.tag_extra": Names("mark_extra"),
    "corpus.colors": Names("colours"),
    "corpus.max_images": Names("most"),
    "corpus.license": Names("licence"),
    "tokenizer.kind": Names("", "bpe", "src_subword_type", "tokenizer_class"),
    "tokenizer.vocab_size": Names("vocabulary", "nwordssrc", "src_vocab_size", "vocab_size"),
    "tokenizer.shared": Names(
        "", "joined-dictionary", "share_vocab", "share_encoder_decoder_vocab"
    ),
    "tokenizer.dropout": Names("", "", "src_subword_alpha", "dropout (tokenizers)"),
    "augmentation.upper": Names("", "", "upper_corpus_ratio"),
    "batches.max_tokens": Names(
        "tokens", "max-tokens", "batch_size (batch_type: tokens)", "train_batch_size"
    ),
    "batches.max_length": Names(
        "longest", "max-source-positions", "src_seq_length", "max_source_length"
    ),
    "batches.window": Names("", "", "bucket_size", "group_by_length"),
    "images.batch_size": Names("together"),
    "images.horizontal_flip": Names("mirror"),
    "images.cutout": Names("cut"),
    "start.method": Names("how"),
    "start.new_tokens": Names("new_entries"),
    "start.rank": Names("", "", "lora_rank", "r (peft)"),
    "start.alpha": Names("", "", "lora_alpha", "lora_alpha (peft)"),
    "start.trainable": Names("trained", "", "", "modules_to_save (peft)"),
    "start.projection_width": Names("through", "", "", "encoder_hidden_size (peft)"),
    "start.target_modules": Names("targets", "", "lora_layers", "target_modules (peft)"),
    "model.kind": Names("", "arch", "encoder_type", "model_type"),
    "model.width": Names("", "encoder-embed-dim", "hidden_size", "d_model"),
    "model.heads": Names("", "encoder-attention-heads", "heads", "encoder_attention_heads"),
    "model.decoder_heads": Names("", "decoder-attention-heads", "heads", "decoder_attention_heads"),
    "model.encoder_layers": Names("", "encoder-layers", "enc_layers", "encoder_layers"),
    "model.decoder_layers": Names("", "decoder-layers", "dec_layers", "decoder_layers"),
    "model.ffn_width": Names(
        "inner_width", "encoder-ffn-embed-dim", "transformer_ff", "encoder_ffn_dim"
    ),
    "model.decoder_ffn_width": Names(
        "decoder_inner_width", "decoder-ffn-embed-dim", "transformer_ff", "decoder_ffn_dim"
    ),
    "model.norm": Names("", "encoder-normalize-before", "", "normalize_before"),
    "model.activation": Names("", "activation-fn", "pos_ffn_activation_fn", "activation_function"),
    "model.positions": Names("", "encoder-learned-pos", "position_encoding_type"),
    "model.max_positions": Names("longest", "max-target-positions", "", "max_position_embeddings"),
    "model.tied": Names(
        "",
        "share-all-embeddings",
        "share_embeddings / share_decoder_embeddings",
        "tie_word_embeddings",
    ),
    "model.dropout": Names("", "dropout", "dropout", "dropout"),
    "model.attention_dropout": Names(
        "", "attention-dropout", "attention_dropout", "attention_dropout"
    ),
    "model.ffn_dropout": Names("inner_dropout", "relu-dropout", "", "activation_dropout"),
    "model.word_dropout": Names("", "", "word_dropout"),
    "model.initialization": Names("initialisation", "", "param_init_glorot", "init_std"),
    "model.normalization": Names("normalisation"),
    "model.max_relative_position": Names("reach", "", "max_relative_positions", ""),
    "model.max_bucket_distance": Names("bucket_reach", "", "", "relative_attention_max_distance"),
    "model.scale_embeddings": Names("scaled", "", "", "scale_embedding"),
    "model.lm_head": Names("words_head"),
    "model.next_sentence_head": Names("follows_head"),
    "model.embedding_width": Names("word_width"),
    "model.kernel_sizes": Names("widths"),
    "model.channels": Names("widths"),
    "model.kernel_size": Names("kernel"),
    "model.hidden_width": Names("hidden"),
    "model.zero_init_residual": Names("zero_last", "", "", "zero_init_residual (torchvision)"),
    "model.max_logit_scale": Names("sharpest"),
    "objective.label_smoothing": Names(
        "", "label-smoothing", "label_smoothing", "label_smoothing_factor"
    ),
    "objective.teacher_forcing": Names("forced"),
    "objective.teacher_forcing_end": Names("forced_last"),
    "optimizer.kind": Names("", "optimizer", "optim", "optim"),
    "optimizer.learning_rate": Names("rate", "lr", "learning_rate", "learning_rate"),
    "optimizer.betas": Names(
        "", "adam-betas", "adam_beta1 / adam_beta2", "adam_beta1 / adam_beta2"
    ),
    "optimizer.epsilon": Names("", "adam-eps", "adam_eps", "adam_epsilon"),
    "optimizer.weight_decay": Names("decay", "weight-decay", "weight_decay", "weight_decay"),
    "optimizer.momentum": Names("", "momentum"),
    "schedule.kind": Names("", "lr-scheduler", "decay_method", "lr_scheduler_type"),
    "schedule.warmup_steps": Names("warmup", "warmup-updates", "warmup_steps", "warmup_steps"),
    "schedule.min_ratio": Names("floor", "min-lr", "", "min_lr_rate"),
    "schedule.decay_steps": Names("over", "total-num-update"),
    "schedule.factor": Names(
        "", "lr-shrink", "learning_rate_decay", "factor (lr_scheduler_kwargs)"
    ),
    "schedule.every": Names("", "", "decay_steps"),
    "schedule.patience": Names("", "lr-patience", "", "patience (lr_scheduler_kwargs)"),
    "training.steps": Names("", "max-update", "train_steps", "max_steps"),
    "training.accumulate": Names("", "update-freq", "accum_count", "gradient_accumulation_steps"),
    "training.clip_norm": Names("clip", "clip-norm", "max_grad_norm", "max_grad_norm"),
    "training.gradient_checkpointing": Names(
        "checkpointing", "checkpoint-activations", "use_ckpting", "gradient_checkpointing"
    ),
    "training.ema_decay": Names("average", "ema-decay", "average_decay"),
    "training.precision": Names("", "fp16 / bf16", "model_dtype", "bf16"),
    "training.device": Names("", "cpu", "gpu_ranks", "use_cpu"),
    "training.log_every": Names("", "log-interval", "report_every", "logging_steps"),
    "training.validate_every": Names("", "validate-interval-updates", "valid_steps", "eval_steps"),
    "training.checkpoint_every": Names(
        "", "save-interval-updates", "save_checkpoint_steps", "save_steps"
    ),
    "training.patience": Names("", "patience", "early_stopping", "early_stopping_patience"),
    "training.best_metric": Names(
        "judge", "best-checkpoint-metric", "early_stopping_criteria", "metric_for_best_model"
    ),
    "training.keep": Names("", "keep-best-checkpoints", "keep_checkpoint", "save_total_limit"),
    "decoding.beam": Names("", "beam", "beam_size", "num_beams"),
    "decoding.groups": Names("", "diverse-beam-groups", "", "num_beam_groups"),
    "decoding.diversity_penalty": Names(
        "diversity", "diverse-beam-strength", "", "diversity_penalty"
    ),
    "decoding.coverage_penalty": Names("coverage", "", "beta (coverage_penalty: wu)"),
    "decoding.length_penalty": Names("", "lenpen", "alpha (length_penalty: avg)", "length_penalty"),
    "decoding.max_length_ratio": Names("longest_ratio", "max-len-a", "max_length_ratio"),
    "decoding.max_length_extra": Names(
        "longest_extra", "max-len-b", "max_length", "max_new_tokens"
    ),
    "decoding.no_repeat_ngram": Names(
        "no_repeat", "no-repeat-ngram-size", "block_ngram_repeat", "no_repeat_ngram_size"
    ),
    "decoding.batch_tokens": Names("", "max-tokens", "batch_size", "eval_batch_size"),
    "decoding.sampling.min_tokens": Names("shortest"),
    "decoding.sampling.max_tokens": Names("longest"),
    "serving.max_head_bytes": Names("largest_head"),
    "serving.max_body_bytes": Names("largest_body"),
    "serving.max_upload_bytes": Names("largest_upload"),
    "serving.read_timeout": Names("seconds_to_send"),
    "serving.max_connections": Names("most_connections"),
    "serving.max_characters": Names("characters"),
    "serving.max_texts": Names("texts"),
    "serving.max_images": Names("pictures"),
    "serving.max_pixels": Names("pixels"),
    "serving.max_gallery_images": Names("gallery"),
    "serving.max_alternatives": Names("alternatives"),
    "serving.max_prompt_characters": Names("prompt_characters"),
    "serving.max_tokens": Names("most_tokens"),
    "serving.max_batch_rows": Names("rows"),
    "serving.max_choices": Names("choices"),
    "serving.max_cached_tokens": Names("tokens_held"),
    "serving.max_queued_texts": Names("waiting"),
    "serving.max_queued_file_texts": Names("waiting_in_files"),
    "serving.max_batch_sentences": Names("sentences"),
    "serving.max_batch_characters": Names("together"),
    "serving.max_stored_files": Names("files_kept"),
    "serving.file_lifetime": Names("seconds_kept"),
    "serving.shutdown_timeout": Names("patience"),
}

FORMER_SECTIONS = {"optimiser": "optimizer"}

FORMER_VALUES = {
    "corpus.kind": {"labelled": "labeled"},
    "model.norm": {"before": "pre", "after": "post"},
}


def our_name(foreign: str) -> str | None:
    """Return our key for a name of another toolkit, if just one of our keys has it."""
    wanted = foreign.replace("-", "_")
    ours = {
        key
        for key, names in SYNONYMS.items()
        for name in names[1:]
        if name.replace("-", "_") == wanted and key.rpartition(".")[2] != wanted
    }
    return ours.pop() if len(ours) == 1 else None


def new_names(former: str) -> list[str]:
    """Return the keys that a key `section.name` may have become; none if it was never renamed."""
    section, _, name = former.partition(".")
    here = FORMER_SECTIONS.get(section, section)
    leaf = name.rpartition(".")[2]
    found = [
        key
        for key, names in SYNONYMS.items()
        if name and names.former == leaf and key.partition(".")[0] == here
    ]
    return found or ([f"{here}.{name}" if name else here] if here != section else [])


def former_value(key: str, value: object) -> str | None:
    """Return what a value of a key has become, if it was renamed."""
    path = key.split(".")
    return FORMER_VALUES.get(f"{path[0]}.{path[-1]}", {}).get(str(value))
