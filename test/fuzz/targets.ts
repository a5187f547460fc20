import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { stringify } from "yaml";
import { engineResolver } from "../../runtime/endpoint-picker/model-servers/engines.ts";
import { MetricsReader } from "../../runtime/endpoint-picker/model-servers/read-metrics.ts";
import { readProcessingRequest } from "../../runtime/endpoint-picker/protocol/processing-request.ts";
import { WireError } from "../../runtime/endpoint-picker/protocol/wire-reader.ts";
import {
  announcing,
  body,
  headers,
  newEvents,
  post,
  responseBody,
  standInPicker,
  toBytes,
} from "../../runtime/endpoint-picker/server/conversation.fixture.ts";
import { Exchange, ProtocolError } from "../../runtime/endpoint-picker/server/exchange.ts";
import {
  FrameError,
  FrameReader,
  frames,
} from "../../runtime/endpoint-picker/server/grpc-frames.ts";
import { objectsOf } from "../../runtime/endpoint-picker/sources/file-objects.ts";
import { loadKubeConfig } from "../../runtime/kubernetes/kube-config.ts";
import { loadPickerConfig } from "../../sdk/picker-config/read.ts";
import { parseInferenceService } from "../../sdk/validate/inference-service.ts";
import { inferencePoolSpecKind } from "../../sdk/validate/pools.ts";
import { parseKind } from "../../sdk/validate/spec-kind.ts";

/** One kind of input, and what reads it: throws where it is read wrongly; a refusal is right. */
export interface Target {
  readonly name: string;
  readonly cases: fc.Arbitrary<unknown>;
  run(input: never): void;
}

const target = <T>(name: string, cases: fc.Arbitrary<T>, run: (input: T) => void): Target => ({
  name,
  cases,
  run: run as Target["run"],
});

const bytes = (maxLength = 512) => fc.uint8Array({ maxLength }).map((array) => Buffer.from(array));

/** Bytes with some of them changed, left out, doubled. */
const spoiled = (whole: fc.Arbitrary<Buffer>) =>
  fc
    .tuple(
      whole,
      fc.array(fc.tuple(fc.nat(1_000_000), fc.nat(255), fc.constantFrom("set", "cut", "double")), {
        maxLength: 4,
      }),
    )
    .map(([buffer, changes]) =>
      changes.reduce((before, [at, value, how]) => {
        if (before.length === 0) return before;
        const place = at % before.length;
        if (how === "cut")
          return Buffer.concat([before.subarray(0, place), before.subarray(place + 1)]);
        if (how === "double") return Buffer.concat([before.subarray(0, place), before]);
        const after = Buffer.from(before);
        after[place] = value;
        return after;
      }, buffer),
    );

const bodyText = fc.oneof(
  fc.json({ maxDepth: 4 }),
  fc.record({ model: fc.string(), prompt: fc.jsonValue() }).map((value) => JSON.stringify(value)),
  fc
    .record({ model: fc.string(), messages: fc.array(fc.jsonValue(), { maxLength: 4 }) })
    .map((value) => JSON.stringify(value)),
  fc.string(),
  fc.constantFrom(
    '{"model":"m"',
    "[".repeat(2_000),
    '{"model":"m","model":"n"}',
    '{"model":"\\ud800"}',
  ),
);

const mode = fc.constantFrom(
  "FULL_DUPLEX_STREAMED",
  "BUFFERED",
  "STREAMED",
  "NONE",
  "BUFFERED_PARTIAL",
);
const contentType = fc.constantFrom(
  "application/json",
  "text/event-stream",
  "multipart/form-data; boundary=x",
  "application/x-www-form-urlencoded",
  "application/octet-stream",
  "",
);
const path = fc.constantFrom(
  "/v1/completions",
  "/v1/chat/completions",
  "/v1/messages",
  "/v1/responses",
  "/v1/embeddings",
  "/v1/models",
  "//",
  "",
);

const message: fc.Arbitrary<object> = fc.oneof(
  fc.tuple(path, contentType, mode, mode).map(([at, type, request, response]) => ({
    ...post({ ":path": at, "content-type": type }),
    ...announcing(request, response),
  })),
  fc.tuple(bodyText, fc.boolean()).map(([text, last]) => body(text, last)),
  fc
    .tuple(contentType, fc.boolean())
    .map(([type, endOfStream]) =>
      headers({ ":status": "200", "content-type": type }, { endOfStream }, "responseHeaders"),
    ),
  fc.tuple(bodyText, fc.boolean()).map(([text, last]) => responseBody(text, last)),
  fc.constantFrom({ requestTrailers: {} }, { responseTrailers: {} }, {}),
);

const conversation = fc.array(message.map(toBytes), { maxLength: 8 });

/** A stream's bytes in pieces, to one exchange. What was launched has landed when it is over. */
function converse(pieces: readonly Buffer[], goesOn: boolean): void {
  const events = newEvents();
  const reported: unknown[] = [];
  const picker = standInPicker({}, events);
  const exchange = new Exchange(
    picker,
    () => {},
    (error) => reported.push(error),
    goesOn,
  );
  const reader = new FrameReader(2 ** 22);
  try {
    for (const piece of pieces)
      reader.push(piece, (frame) => {
        exchange.receive(readProcessingRequest(frame));
        while (exchange.readsOn) exchange.readOn();
        return true;
      });
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
  exchange.close();
  for (const landed of events.unwatched) landed();
  if (reported.length > 0) throw reported[0];
  if (events.running > events.unwatched.length)
    throw new Error(`${events.running} requests run after the stream is over`);
}

const isRefusal = (error: unknown) =>
  error instanceof WireError || error instanceof FrameError || error instanceof ProtocolError;

const inPieces = fc
  .tuple(spoiled(conversation.map(frames)), fc.array(fc.nat(200), { maxLength: 6 }))
  .map(([whole, cuts]) => {
    const pieces: Buffer[] = [];
    let rest = whole;
    for (const cut of cuts) {
      pieces.push(rest.subarray(0, cut));
      rest = rest.subarray(cut);
    }
    return [...pieces, rest];
  });

const resolveEngine = engineResolver();
const engines = ["vllm", "sglang", "trtllm-serve", "triton"].flatMap(
  (name) => resolveEngine({ "llm-d.ai/engine-type": name }) ?? [],
);
const metricLine = fc
  .tuple(
    fc.constantFrom(
      "vllm:num_requests_waiting",
      "vllm:lora_requests_info",
      "# TYPE x",
      "sglang:token_usage",
    ),
    fc.dictionary(fc.string({ maxLength: 8 }), fc.string({ maxLength: 30 }), { maxKeys: 3 }),
    fc.oneof(fc.double().map(String), fc.string({ maxLength: 10 })),
  )
  .map(
    ([name, labels, value]) =>
      `${name}{${Object.entries(labels).map(([key, text]) => `${key}="${text}"`)}} ${value}`,
  );
const page = fc.array(metricLine, { maxLength: 20 }).map((lines) => Buffer.from(lines.join("\n")));

/** Objects that look like some, with anything in their fields. */
const manifest = fc.record({
  apiVersion: fc.constantFrom("inference.networking.k8s.io/v1", "v1", "llm-d.ai/v1alpha2", "x"),
  kind: fc.constantFrom("InferencePool", "Pod", "InferenceObjective", "InferenceModelRewrite", "X"),
  metadata: fc.oneof(fc.record({ name: fc.string(), labels: fc.jsonValue() }), fc.jsonValue()),
  spec: fc.jsonValue({ maxDepth: 4 }),
  status: fc.jsonValue(),
});

const kubeconfig = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.record({
    apiVersion: fc.constant("v1"),
    kind: fc.constant("Config"),
    "current-context": fc.string(),
    contexts: fc.oneof(fc.array(fc.jsonValue()), fc.jsonValue()),
    clusters: fc.oneof(fc.array(fc.jsonValue()), fc.jsonValue()),
    users: fc.oneof(fc.array(fc.jsonValue()), fc.jsonValue()),
  }),
);
const kubeconfigFile = join(mkdtempSync(join(tmpdir(), "pulumi-inference-fuzz-")), "config");
process.once("exit", () => rmSync(dirname(kubeconfigFile), { recursive: true, force: true }));

const refused = (read: () => unknown) => {
  try {
    read();
  } catch (error) {
    if (!(error instanceof Error) || error instanceof TypeError || error instanceof RangeError)
      throw error;
  }
};

export const targets: readonly Target[] = [
  target("streams of ext_proc, spoiled and in pieces", inPieces, (pieces) => {
    converse(pieces, false);
    converse(pieces, true);
  }),
  target("messages of ext_proc in any order", conversation, (messages) => {
    converse([frames(messages)], true);
  }),
  target("frames of any bytes", fc.array(bytes(), { maxLength: 5 }), (pieces) => {
    converse(pieces, false);
  }),
  target("metrics pages", fc.tuple(spoiled(page), fc.nat(engines.length - 1)), ([text, which]) => {
    const engine = engines[which];
    if (engine !== undefined) new MetricsReader(engine).read(text, 0, undefined);
  }),
  target("manifests of a file source", fc.array(manifest, { maxLength: 4 }), (objects) => {
    refused(() => objectsOf(objects.map((object) => stringify(object)).join("---\n")));
  }),
  target("specs of pools", fc.jsonValue({ maxDepth: 4 }), (spec) => {
    refused(() =>
      parseKind(inferencePoolSpecKind, { metadata: { name: "p" }, spec: spec as never }),
    );
  }),
  target("specs of services", fc.jsonValue({ maxDepth: 5 }), (spec) => {
    refused(() => parseInferenceService({ metadata: { name: "s" }, spec } as never));
  }),
  target(
    "picker configurations",
    fc.oneof(
      fc.string(),
      fc.jsonValue().map((value) => stringify(value)),
    ),
    (text) => {
      refused(() => loadPickerConfig(text, "fuzz"));
    },
  ),
  target("kubeconfigs", kubeconfig, (config) => {
    writeFileSync(kubeconfigFile, stringify(config));
    refused(() => loadKubeConfig({ file: kubeconfigFile }));
  }),
];
