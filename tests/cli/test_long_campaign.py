"""Random mechanisms, as test_campaign.py, 200 of them."""
from common import main
from test_campaign import Campaign


class LongCampaign(Campaign):
    seeds = "0..199"


del Campaign  # its own run is the short one

if __name__ == "__main__":
    main()
