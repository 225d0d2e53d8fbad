// A bot without an SDK, straight on the protocol. It plays 6 nimmt! like `nearest`: the smallest gap to a row with room.
// proto/ is a copy of the referee's, so that the folder has all that the bot needs.
"use strict";

const path = require("node:path");
const grpc = require("@grpc/grpc-js");
const loader = require("@grpc/proto-loader");

const definition = loader.loadSync("referee/v1/arena.proto", {
  includeDirs: [path.join(__dirname, "proto")],
  keepCase: true,
  defaults: true,
  oneofs: true,
  enums: String,
  longs: String,
});
const { Arena } = grpc.loadPackageDefinition(definition).referee.v1;

const FULL = 5;

function headsOf(card) {
  if (card === 55) return 7;
  if (card % 11 === 0) return 5;
  if (card % 10 === 0) return 3;
  return card % 5 === 0 ? 2 : 1;
}

function rowHeads(row) {
  return row.cards.reduce((sum, card) => sum + headsOf(card), 0);
}

function argmin(items, cost) {
  return items.reduce((best, item) => (cost(item) < cost(best) ? item : best));
}

// The distance from a card to the end of a row where it may go; Infinity if it may not.
function gap(row, card, bothEnds) {
  const left = row.cards[0];
  const right = row.cards[row.cards.length - 1];
  if (card > right) return card - right;
  return bothEnds && card < left ? left - card : Infinity;
}

// Cards that take a row cost 1000 and more, the cheapest row least; all others cost their gap.
function cost(view, card) {
  const row = argmin(view.rows, (candidate) => gap(candidate, card, view.both_ends));
  const distance = gap(row, card, view.both_ends);
  if (distance === Infinity) return 1000 + Math.min(...view.rows.map(rowHeads));
  return row.cards.length === FULL ? 1000 + rowHeads(row) : distance;
}

function choose(view) {
  switch (view.decision) {
    case "SIX_NIMMT_DECISION_PLAY_CARD":
      return { play_card: argmin(view.hand, (card) => cost(view, card)) };
    case "SIX_NIMMT_DECISION_DRAFT":
      return { draft: view.table[0] };
    case "SIX_NIMMT_DECISION_CHOOSE_ROW":
      return { choose_row: argmin(view.row_choices, (row) => rowHeads(view.rows[row])) };
    case "SIX_NIMMT_DECISION_CHOOSE_END":
      return { choose_end: view.row_choices[0] };
    default:
      throw new Error(`a decision this bot does not know: ${view.decision}`);
  }
}

const arena = new Arena(process.env.REFEREE_ADDRESS, grpc.credentials.createInsecure());
const stream = arena.Play();

stream.on("data", (message) => {
  if (message.body !== "asks") return;
  const replies = message.asks.asks.map((ask) => ({ ask_id: ask.ask_id, six_nimmt: choose(ask.six_nimmt) }));
  stream.write({ replies: { replies } });
});
stream.on("error", (error) => {
  console.error(`The stream to the referee ended: ${error.message}`);
  process.exit(1);
});
stream.on("end", () => process.exit(0));

stream.write({
  hello: { token: process.env.REFEREE_TOKEN, protocol: 1, games: ["six_nimmt"], sdk: "no SDK, Node.js grpc-js" },
});
