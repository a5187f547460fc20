import { request as httpRequest } from "node:http";
import {
  defaultAnswers,
  type RecordedRequest,
  recordedRequests,
} from "./recorded-requests.fixture.ts";
import { type Answer, json, type Recorded, RecordingEngine } from "./recording-engine.fixture.ts";

/** The outcome of a request to a sidecar: the requests to each engine, and the client's response. */
export type SidecarRecord = Readonly<Record<string, string | number | null>>;

export type SidecarRecords = Readonly<Record<string, SidecarRecord>>;

/** The engines of a recording. The prefiller is also the bootstrap server. */
export interface RecordedEngines {
  readonly prefiller: RecordingEngine;
  readonly decoder: RecordingEngine;
  readonly encoder: RecordingEngine;
}

export type Connectors = Pick<RecordedRequest, "connector" | "encoding">;

/** Returns transfer parameters for the part in the request. */
const encodes: Answer = (request, response) => {
  const hash = request.text.includes("image_url") ? "picture" : "sound";
  json(`{"id":"e","ec_transfer_params":{"${hash}":{"peer_port":1}}}`)(request, response);
};

/** Headers of requests and responses that a record contains. */
const told = {
  request: [
    ...["content-type", "accept-encoding", "authorization", "x-request-id", "traceparent"],
    ...["x-prefiller-host-port", "x-encoder-hosts-ports", "x-data-parallel-rank"],
  ],
  answer: ["content-type", "x-prefilled-by", "x-prefill-failed"],
};

/** An address on which nothing listens. */
const gone = "127.0.0.1:9";

/** Starts engines and a sidecar for each pair of connectors, and sends the requests one after another. */
export async function recordSidecar(
  startSidecar: (
    connectors: Connectors,
    ports: { readonly decoder: number; readonly prefiller: number },
  ) => Promise<{ readonly port: number; stop(): Promise<unknown> }>,
): Promise<SidecarRecords> {
  const records: Record<string, SidecarRecord> = {};
  const kindOf = ({ connector, encoding }: Connectors) => `${connector} ${encoding}`;
  for (const connectors of new Map(recordedRequests.map((each) => [kindOf(each), each])).values()) {
    const engines = {
      prefiller: await new RecordingEngine(defaultAnswers.prefills).start(),
      decoder: await new RecordingEngine(json("{}")).start(),
      encoder: await new RecordingEngine(encodes).start(),
    };
    const { port: decoder } = engines.decoder;
    const sidecar = await startSidecar(connectors, { decoder, prefiller: engines.prefiller.port });
    try {
      for (const request of recordedRequests)
        if (kindOf(request) === kindOf(connectors))
          records[request.title] = await recordOne(request, sidecar.port, engines);
    } finally {
      await sidecar.stop();
      await Promise.all(Object.values(engines).map((engine) => engine.stop()));
    }
  }
  return records;
}

async function recordOne(
  asked: RecordedRequest,
  port: number,
  { prefiller, decoder, encoder }: RecordedEngines,
): Promise<SidecarRecord> {
  const { prefills = defaultAnswers.prefills, decodes = defaultAnswers.decodes } = asked;
  const [fromPrefiller, fromDecoder] = [prefiller.requests.length, decoder.requests.length];
  const fromEncoder = encoder.requests.length;
  prefiller.answer = (request, response) =>
    request.path === "/query"
      ? json('{"0":{"engine_id":"engine","worker_addr":"a"}}')(request, response)
      : prefills(request, response);
  decoder.answer = (request, response) => {
    const at = decoder.requests.length - fromDecoder - 1;
    (decodes[at] ?? decodes.at(-1))?.(request, response);
  };
  const address = (asked.prefiller ?? "")
    .replace("prefiller", prefiller.address)
    .replace("gone", gone);
  const encoders = asked.encoding === undefined ? "" : encoder.address;
  const answer = await send(port, asked, address, encoders);
  const plain = (text: string) =>
    text
      .replaceAll(prefiller.address, "PREFILLER")
      .replaceAll(decoder.address, "DECODER")
      .replaceAll(encoder.address, "ENCODER")
      .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "UUID")
      .replaceAll(/("bootstrap_room":)\d+/g, "$1NUMBER")
      .replaceAll(new RegExp(`(_port":)${prefiller.port}`, "g"), "$1PORT");
  // Encode requests run concurrently, so their order varies.
  const parts = encoder.requests.slice(fromEncoder).sort((a, b) => (a.text < b.text ? -1 : 1));
  const legs = [
    ...parts.map((leg, at) => [`encode ${at}`, leg] as const),
    ...prefiller.requests.slice(fromPrefiller).map((leg) => ["prefill", leg] as const),
    ...decoder.requests.slice(fromDecoder).map((leg) => ["decode", leg] as const),
  ].filter(([, { path }]) => path !== "/query");
  const record: Record<string, string | number | null> = {
    "engines asked": legs.map(([name]) => name).join(", "),
  };
  for (const [name, leg] of legs) Object.assign(record, ofLeg(name, leg, plain));
  return Object.assign(record, {
    "answer: status": answer.status,
    ...ofHeaders("answer", answer.headers, told.answer, plain),
    "answer: body": answer.status < 500 ? plain(canonical(answer.text)) : null,
  });
}

const ofLeg = (
  name: string,
  { path, headers, text }: Recorded,
  plain: (text: string) => string,
) => ({
  [`${name}: path`]: path,
  ...ofHeaders(name, headers, told.request, plain),
  [`${name}: body`]: plain(canonical(text)),
});

const ofHeaders = (
  of: string,
  headers: Readonly<Record<string, string | string[] | undefined>>,
  names: readonly string[],
  plain: (text: string) => string,
) =>
  Object.fromEntries(
    names.flatMap((name) =>
      headers[name] === undefined
        ? []
        : [[`${of}: ${name}`, plain(String(headers[name]).replaceAll("; ", ";"))]],
    ),
  );

/** Normalizes JSON: sorts members by name, removes whitespace and keeps numbers as written. */
function canonical(text: string): string {
  if (text.startsWith("data:"))
    return text
      .split("\n")
      .map((line) => line.replace(/(?<=^data: )\{.*/, canonical))
      .join("\n");
  if (!text.startsWith("{")) return text;
  const digits: string[] = [];
  // Keeps the digits of integers that a double cannot represent.
  const marked = text.replaceAll(/(?<=[:[,]\s*)\d{16,}/g, (number) => {
    digits.push(number);
    return `"NUMBER ${digits.length - 1}"`;
  });
  try {
    return JSON.stringify(sorted(JSON.parse(marked))).replaceAll(
      /"NUMBER (\d+)"/g,
      (_, at) => digits[Number(at)] as string,
    );
  } catch {
    return text;
  }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(members.map(([name, each]) => [name, sorted(each)]));
}

function send(
  port: number,
  { method = undefined, path, body, headers }: RecordedRequest,
  prefiller: string,
  encoders: string,
) {
  return new Promise<{
    status: number;
    headers: Readonly<Record<string, string | string[] | undefined>>;
    text: string;
  }>((resolve, reject) => {
    httpRequest(
      {
        ...{ host: "127.0.0.1", port, path, method: method ?? "POST" },
        headers: {
          ...(body !== undefined && { "content-type": "application/json" }),
          ...(prefiller !== "" && { "x-prefiller-host-port": prefiller }),
          ...(encoders !== "" && { "x-encoder-hosts-ports": encoders }),
          ...headers,
        },
      },
      async (response) => {
        let text = "";
        for await (const chunk of response) text += chunk;
        resolve({ status: response.statusCode as number, headers: response.headers, text });
      },
    )
      .on("error", reject)
      .end(body);
  });
}
