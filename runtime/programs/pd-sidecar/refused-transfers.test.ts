import { expect, it } from "vitest";
import { newLog } from "../../manager/log.ts";
import { refusedField } from "./connectors/nixl-transfer.ts";
import { RefusedTransfers } from "./refused-transfers.ts";

const good = {
  ...{ do_remote_prefill: true, remote_block_ids: [1], remote_engine_id: "e" },
  ...{ remote_host: "10.0.0.1", remote_port: 5600 },
};

it.each<[unknown, string | undefined]>([
  [good, undefined],
  [[], "kv_transfer_params"],
  [{ ...good, remote_host: "10.0.0.2" }, "remote_host"],
  [{ ...good, remote_host: undefined }, "remote_host"],
  [{ ...good, remote_block_ids: [] }, "remote_block_ids"],
  [{ ...good, remote_port: 0 }, "remote_port"],
  [{ ...good, more: "x" }, "more"],
])("the refused field of %j is %s", (params, field) => {
  expect(refusedField("10.0.0.1", Buffer.from(JSON.stringify(params)))).toBe(field);
});

it("refused transfers are logged once per minute, with their number", () => {
  const lines: string[] = [];
  let now = 0;
  const log = newLog({ verbosity: 1, write: (line) => lines.push(line), now: () => 0 });
  const refused = new RefusedTransfers(log, () => now);
  for (now = 0; now <= 60_000; now += 20_000) refused.add("10.0.0.1:8000", "x".repeat(1_000));
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { prefiller: "10.0.0.1:8000", field: "x".repeat(100), refusals: 1 },
    { refusals: 3 },
  ]);
});
