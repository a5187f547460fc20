import { expect, it } from "vitest";
import * as logs from "./engine-logs.fixture.ts";
import { causeIn, loadedPercentIn } from "./log-cause.ts";

/** A gated model: the message of the last exception of a chain names the remedy. */
const chain = `huggingface_hub.errors.GatedRepoError: 401 Client Error.

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/site/transformers/utils/hub.py", line 422, in cached_file
OSError: You are trying to access a gated repo.
`;

it.each([
  [
    "vLLM's engine core, not its API server",
    logs.kvCacheTooSmall,
    /^ValueError: To serve at least one request with the model's max seq len \(4000000\), \(3\.81 GiB KV cache is needed, .* for more details\.$/,
  ],
  [
    "vLLM's worker, not its engine core",
    logs.truncatedShard,
    /^safetensors\._safetensors_rust\.SafetensorError: Error while deserializing header: invalid header length$/,
  ],
  [
    "vLLM's command line",
    logs.unknownFlag,
    /^main\.py: error: unrecognized arguments: --no-such-flag 1$/,
  ],
  [
    "pydantic, with its details",
    logs.contextTooLong,
    /^pydantic_core\._pydantic_core\.ValidationError: 1 validation error for ModelConfig; Value error, User-specified max_model_len \(100000\) is greater/,
  ],
  ["a chain of exceptions", chain, /^OSError: You are trying to access a gated repo\.$/],
  [
    "a tensor-parallel worker of vLLM 0.11",
    "(VllmWorker rank=7 pid=240) ERROR 05-21 09:27:46 [core.py:390] torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 350.00 MiB.\n(APIServer pid=1) RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}",
    /^torch\.OutOfMemoryError: CUDA out of memory\. Tried to allocate 350\.00 MiB\.$/,
  ],
  [
    "SGLang's scheduler",
    '[2026-11-28 10:00:00 TP0] Scheduler hit an exception: Traceback (most recent call last):\n  File "/site/scheduler.py", line 1\nRuntimeError: Not enough memory. Please try to increase --mem-fraction-static.\n\n[2026-11-28 10:00:00] Received sigquit from a child process. It usually means the child failed.',
    /^RuntimeError: Not enough memory\. Please try to increase --mem-fraction-static\.$/,
  ],
  ["a program without exceptions", "starting\n\u001b[31mpanic: no\u001b[0m\n", /^panic: no$/],
])("causeIn finds the cause in a log of %s", (_, log, cause) =>
  expect(causeIn(log)).toMatch(cause),
);

it.each([
  [
    "\rLoading safetensors checkpoint shards:  40% Completed | 8/20 [00:10<00:16, 1.3s/it]\n\n\rLoading safetensors checkpoint shards:  45% Completed | 9/20 [00:12<00:14, 1.3s/it]\n",
    45,
  ],
  ["\rMulti-thread loading shards: 100% Completed | 21/21 [00:00<00:00, 2366.93it/s]\n", 100],
  ["starting\n", undefined],
])("loadedPercentIn reads the last progress of a log: %j", (log, percent) =>
  expect(loadedPercentIn(log)).toBe(percent),
);
