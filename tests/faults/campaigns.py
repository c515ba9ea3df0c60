"""All campaigns, in the order of the table."""

from tests.faults import documents, growth, mutated_runs
from tests.faults.campaign import Campaign
from tests.faults.failing_disk import fail_commands, fail_trainings
from tests.faults.hostile_http import HOSTILE_HTTP
from tests.faults.hostile_imports import HOSTILE_IMPORTS
from tests.faults.hostile_uploads import UPLOADS
from tests.faults.kills import kill_commands, kill_trainings
from tests.faults.server_kills import SERVER_KILLS

CAMPAIGNS: list[Campaign] = [
    Campaign("disk calls of a training", fail_trainings, proof=100_000, sample=8),
    Campaign("disk calls of other commands", fail_commands, proof=100_000, sample=16),
    Campaign("kills of a training at random moments", kill_trainings, proof=50, sample=1),
    Campaign("kills of other commands at disk calls", kill_commands, proof=100_000, sample=4),
    SERVER_KILLS,
    mutated_runs.CAMPAIGN,
    HOSTILE_IMPORTS,
    documents.CAMPAIGN,
    growth.CAMPAIGN,
    UPLOADS,
    HOSTILE_HTTP,
]
