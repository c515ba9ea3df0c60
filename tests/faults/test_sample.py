"""A sample of every campaign of faults; `make proof` runs them whole."""

import pytest
from tests.faults.__main__ import SEED
from tests.faults.campaigns import CAMPAIGNS


@pytest.mark.slow
@pytest.mark.parametrize("campaign", CAMPAIGNS, ids=[one.name for one in CAMPAIGNS])
def test_no_trial_of_a_sample_fails(campaign, tmp_path):
    tally = campaign.run(campaign.sample, SEED, tmp_path)
    assert tally.tried >= min(campaign.sample, campaign.proof) / 2
    assert tally.failures == []
