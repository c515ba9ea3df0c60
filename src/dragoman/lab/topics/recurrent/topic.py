"""The topic of recurrent networks."""

from dragoman.lab.topic import Section, Topic
from dragoman.lab.topics.recurrent.gru import (
    relevance_gate,
    reset_gate,
    simple_gru,
    update_gate_conventions,
)
from dragoman.lab.topics.recurrent.lstm_cells import (
    forget_gate_came_later,
    gru_is_smaller,
    lstm_equations,
    lstm_prediction,
    output_tanh,
)
from dragoman.lab.topics.recurrent.lstm_gates import (
    cell_state_equation,
    forget_gate,
    gate_lets_a_share_through,
    input_gate_and_candidate,
    output_gate,
)
from dragoman.lab.topics.recurrent.lstm_gradients import (
    activation_gradient,
    candidate_gradient,
    cell_state_gradient,
    forget_gate_gradient,
    output_bias_gradient,
    output_gate_gradient,
    output_matrix_gradient,
    update_gate_gradient,
    whole_sequence_gradient,
)
from dragoman.lab.topics.recurrent.measured_claims import (
    cell_keeps_the_number,
    deeper_is_better,
    lstm_against_gru,
    right_context,
    verb_agrees,
)
from dragoman.lab.topics.recurrent.plain import (
    concatenated_form,
    index_of_the_state,
    plain_module,
    state_before_activation,
)
from dragoman.lab.topics.recurrent.through_time import double_sum, total_derivative
from dragoman.lab.topics.recurrent.topologies import bidirectional, fixed_summary, topologies

TOPIC = Topic(
    id="K4",
    name="recurrent",
    title="Recurrent networks",
    introduction="A recurrent network reads a sequence one position at a time and carries a "
    "hidden state along. The same weights serve every position, so a text may have any "
    "length; but whatever the network needs later must survive in the state until then. "
    "This topic builds the cells from the plain one to the LSTM and the GRU, derives their "
    "gradients by hand, and leaves it to training runs to show what the gates are worth.",
    sections=[
        Section(
            "The plain cell",
            "The simplest recurrent cell is a single layer that sees its own previous output: "
            r"$h_t = \varphi(U x_t + W h_{t-1} + b)$. Textbooks write it in several ways, and it "
            "is worth checking once that they describe the same network. The two matrices can "
            "be placed side by side in one. The state can be what comes *out* of the activation "
            "or what goes *into* it; a change of variables turns one form into the other.\n\n"
            "What must be right is the index. The state at time $t$ depends on the state at "
            "time $t - 1$. With $h_t$ on both sides there would be an equation to solve at "
            "every step, and no memory of the past at all.",
            [plain_module, state_before_activation, concatenated_form, index_of_the_state],
        ),
        Section(
            "One recurrence, many shapes",
            "A cell maps a state and an input to a new state. What a network does with these "
            "states is a separate choice. Take an output after every position and it is a "
            "tagger; take only the last one and it is a classifier; feed the output back as the "
            "next input and it generates text. Let one network read and another one write, "
            "starting from the final state of the first, and the output may have any length. "
            "That is the encoder-decoder, whose summary of the sentence has the same size for "
            "three words and for thirty.\n\n"
            "Nothing requires a sequence to be read from left to right. Two networks, one for "
            "each direction, know at every position what came before *and* what comes after. "
            "Layers can also be stacked, each reading the states of the one below.",
            [topologies, bidirectional, right_context, fixed_summary, deeper_is_better],
        ),
        Section(
            "Backpropagation through time",
            "All steps share one matrix, so its gradient has a contribution from every step at "
            "which it was used. There are two ways to keep track of them. One sums over the "
            r"losses and uses the *total* derivative $\mathrm{d}h_t/\mathrm{d}W$, which is "
            "updated together with the state. The other sums over pairs of steps: the error of "
            "step $t$, carried back to step $k$ by a product of Jacobians, times the "
            "*immediate* derivative at step $k$, which treats $h_{k-1}$ as a constant.\n\n"
            "Mix up the two, and paths are missed or counted several times. The heat map of the "
            "double sum shows how much each pair contributes. Where it fades to the left, the "
            "network cannot learn from the distant past.",
            [total_derivative, double_sum],
        ),
        Section(
            "Gates and memory",
            "A plain cell overwrites its whole state at every step. The LSTM adds a *cell "
            "state* $c$, its memory, and three *gates* that control it: layers with a sigmoid, "
            "whose values between 0 and 1 multiply what passes through them. The forget gate "
            "decides what is kept, the input gate what is added, and the output gate what is "
            "shown.\n\n"
            "Each gate can be isolated by holding the others at 0 or 1, and this is how the "
            "checks work. With the forget gate fully open and the input gate closed, the cell "
            "state is copied bit for bit over any number of steps. Along this path a gradient "
            "does not shrink.",
            [
                gate_lets_a_share_through,
                forget_gate,
                input_gate_and_candidate,
                cell_state_equation,
                output_gate,
                lstm_equations,
                lstm_prediction,
                forget_gate_came_later,
                output_tanh,
            ],
        ),
        Section(
            "The GRU",
            "The GRU has no separate cell state: the same vector is its memory and its output. "
            "In its simplest form, a single gate chooses, entry by entry, between the old state "
            "and a candidate. The full GRU adds a second gate, which controls how much of the "
            "old state the candidate sees.\n\n"
            "Sources differ in which of the two the update gate multiplies, and in whether the "
            "reset gate is applied before or after the matrix. The first is a matter of signs. "
            "The second gives a different cell, though not a better one. With three layers "
            "instead of four, a GRU is a quarter smaller than an LSTM, and so it is preferred "
            "where the two perform equally well. Whether they do is a question for experiments.",
            [
                simple_gru,
                reset_gate,
                relevance_gate,
                update_gate_conventions,
                gru_is_smaller,
                lstm_against_gru,
                cell_keeps_the_number,
                verb_agrees,
            ],
        ),
        Section(
            "LSTM gradients by hand",
            "Differentiating an LSTM needs no framework, only patience. Start at the last "
            r"position with the error of the prediction, $\hat{y} - y$. Propagate it to the "
            "activation, then to the output gate and the cell state, and from the cell state to "
            "the other two gates, the candidate and the previous cell state. Each gate "
            "multiplies by the derivative of its own activation, and each weight matrix "
            "collects an outer product.\n\n"
            "Two gradients are passed on to the previous step: that of its activation, through "
            "all four layers, and that of its cell state, through the forget gate. The file "
            "`lstm_by_hand.py` contains the whole backward pass. Here every part of it is "
            "compared with autograd through our own cell, and the slips in the notes are "
            "compared with both.",
            [
                activation_gradient,
                output_matrix_gradient,
                output_bias_gradient,
                output_gate_gradient,
                cell_state_gradient,
                candidate_gradient,
                update_gate_gradient,
                forget_gate_gradient,
                whole_sequence_gradient,
            ],
        ),
    ],
)
