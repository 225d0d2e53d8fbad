"""Generated from proto/referee/v1 by `make proto`: the messages of referee_sdk.v1."""
