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
    forget_gate,
    gate_lets_a_share_through,
    input_gate_and_candidate,
    memory_equation,
    output_gate,
)
from dragoman.lab.topics.recurrent.lstm_gradients import (
    activation_slope,
    candidate_slope,
    forget_gate_slope,
    memory_slope,
    output_bias_slope,
    output_gate_slope,
    output_matrix_slope,
    update_gate_slope,
    whole_sequence_slope,
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
    introduction="A recurrent network reads a sequence one position at a time and carries a state "
    "along. The same weights serve every position, so a text may have any length; and whatever the "
    "network is to know later must survive in the state until then. This topic builds the cells "
    "from the plain one to the LSTM, takes their derivatives by hand, and asks trainings how much "
    "the gates are worth.",
    sections=[
        Section(
            "The plain cell",
            "The simplest recurrent cell is one layer that sees its own last output: "
            r"$h_t = \varphi(U x_t + W h_{t-1} + b)$. Books write it in several ways, and it is "
            "worth seeing once that these are the same network. The two matrices may be put side "
            "by side into one. The state may be what comes *out* of the activation, or what goes "
            "*in*: a change of variables turns one into the other.\n\n"
            "What must not be changed is the index. The state at $t$ depends on the state at "
            "$t - 1$; with $h_t$ on both sides there would be an equation to solve at every step, "
            "and no memory of the past at all.",
            [plain_module, state_before_activation, concatenated_form, index_of_the_state],
        ),
        Section(
            "One recurrence, many shapes",
            "A cell maps a state and an input to a state. What a network does with these states "
            "is another matter. Ask for an output after each position and it tags; ask after the "
            "last only and it classifies; feed it its own output and it writes. Let one network "
            "read and another write, starting from where the first one ended, and the output may "
            "have any length: that is the encoder-decoder, whose summary of the sentence has the "
            "same size for three words and for thirty.\n\n"
            "Nothing says that a sequence must be read from the left. Two networks, one for each "
            "direction, know at every position what came before *and* what comes after. And layers "
            "can be stacked, each reading the states of the one below.",
            [topologies, bidirectional, right_context, fixed_summary, deeper_is_better],
        ),
        Section(
            "Through time",
            "All steps share one matrix, so its derivative has a part from every step at which it "
            "was used. There are two ways to keep the books. One sums over the losses and takes "
            r"the *total* derivative $\mathrm{d}h_t/\mathrm{d}W$, which grows along with the "
            "state. The other sums over pairs: the error of step $t$, carried back to step $k$ by "
            "a product of Jacobians, times the *immediate* derivative there, which pretends that "
            "$h_{k-1}$ is a constant.\n\n"
            "Mix the two up, and paths are left out or counted twice. The heat map of the double "
            "sum shows how much each pair contributes: where it fades to the left, the network "
            "cannot learn from the distant past.",
            [total_derivative, double_sum],
        ),
        Section(
            "Gates and memory",
            "A plain cell overwrites its whole state at every step. The LSTM keeps a memory $c$ "
            "beside its output, and lets three *gates* decide what happens to it: layers with a "
            "logistic function, whose values between 0 and 1 are multiplied with what they guard. "
            "The forget gate says what stays, the input gate what is added, the output gate what "
            "is shown.\n\n"
            "Each gate can be laid bare by holding the others at 0 or 1, which is how these checks "
            "work. With the forget gate open and the input gate shut, the memory is copied bit for "
            "bit, however many steps: the road on which a gradient travels without shrinking.",
            [
                gate_lets_a_share_through,
                forget_gate,
                input_gate_and_candidate,
                memory_equation,
                output_gate,
                lstm_equations,
                lstm_prediction,
                forget_gate_came_later,
                output_tanh,
            ],
        ),
        Section(
            "The gated unit",
            "The GRU does without a separate memory: its state is what it remembers and what it "
            "shows. In its simplest form one gate chooses, component by component, between the old "
            "state and a candidate. The full unit adds a second gate, which says how much of the "
            "old state the candidate may look at.\n\n"
            "Texts differ in which of the two the update gate multiplies, and in whether the reset "
            "comes before or after the matrix. The first is a matter of signs; the second makes "
            "another cell, though not a better one. Three layers instead of four make a GRU a "
            "quarter smaller than an LSTM, so it is preferred where the two do equally well, which "
            "trainings must show.",
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
            "The LSTM backwards, by hand",
            "No framework is needed to differentiate an LSTM, only patience. Begin at the last "
            "position with the error of the prediction, $\\hat{y} - y$. Carry it to the "
            "activation, then to the output gate and the memory; from the memory to the other "
            "gate, the candidate and the memory before. Each gate multiplies by the slope of its "
            "own function, and each weight collects what it meets.\n\n"
            "Two things are sent on to the step before: the derivative of its activation, through "
            "all four layers, and that of its memory, through the forget gate. The file "
            "`lstm_by_hand.py` is the whole pass; here every piece of it is compared with autograd "
            "through our own cell, and the slips of the notes with both.",
            [
                activation_slope,
                output_matrix_slope,
                output_bias_slope,
                output_gate_slope,
                memory_slope,
                candidate_slope,
                update_gate_slope,
                forget_gate_slope,
                whole_sequence_slope,
            ],
        ),
    ],
)
