"""Write a bot for the Referee: a class with a method for each decision, and ``run``.

::

    from referee_sdk import SixNimmtBot, SixNimmtView, run


    class Lowest(SixNimmtBot):
        def play_card(self, view: SixNimmtView) -> int:
            return min(view.hand)


    run(Lowest)

The referee starts the program, and ``run`` plays every game it is asked to, many at once, with one object of the class
a game. A bot needs this package and nothing of the referee's.
"""

from referee_sdk.bot import Bot
from referee_sdk.connection import run
from referee_sdk.six_nimmt import SixNimmtBot
from referee_sdk.ten import TenBot
from referee_sdk.v1.arena_pb2 import GameOver
from referee_sdk.v1.six_nimmt_pb2 import SixNimmtView
from referee_sdk.v1.ten_pb2 import TenView

__all__ = ["Bot", "GameOver", "SixNimmtBot", "SixNimmtView", "TenBot", "TenView", "run"]
