import { describe, expect, it } from "vitest";
import { parserNames } from "../../../scheduling/plugins/parsers.ts";
import { RequestError } from "../../../scheduling/requests/request-error.ts";
import { parsePayload } from "./bodies.fixture.ts";
import type { Payload } from "./payload.ts";
import { changedBody } from "./splice.ts";

const path = "/v1/audio/transcriptions";

/** The form as Node.js writes it. */
async function written(form: FormData): Promise<{ type: string; body: Buffer }> {
  const request = new Request("http://gateway", { method: "POST", body: form });
  const type = request.headers.get("content-type") as string;
  return { type, body: Buffer.from(await request.arrayBuffer()) };
}

const parse = (body: Buffer | string, type = "multipart/form-data; boundary=b") =>
  parsePayload(
    { path, headers: new Map([["content-type", type]]), body: Buffer.from(body) },
    parserNames,
  );

async function parseForm(form: FormData): Promise<Payload> {
  const { type, body } = await written(form);
  return parse(body, type);
}

function refusalOf(form: FormData): Promise<string> {
  return parseForm(form).then(
    () => "none",
    (error) => (error instanceof RequestError ? `${error.status} ${error.message}` : String(error)),
  );
}

function upload(fields: ReadonlyArray<readonly [string, string]>): FormData {
  const form = new FormData();
  form.append(
    "file",
    new Blob([Buffer.from("RIFF\r\n\r\n--\0\xff")], { type: "audio/wav" }),
    "a.wav",
  );
  for (const [name, value] of fields) form.append(name, value);
  return form;
}

const field = (name: string, value: string, more = "") =>
  `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;

describe("a multipart form", () => {
  it("has its model and stream read, and a rewrite changes only the model's bytes", async () => {
    const form = upload([
      ["model", "whisper"],
      ["stream", "true"],
    ]);
    const { type, body } = await written(form);
    const payload = parse(body, type);
    expect(payload).toMatchObject({ model: "whisper", streaming: true, needsModel: false });
    expect(payload.unread).toBeUndefined();
    const changed = changedBody(payload, { model: "openai/whisper-large" });
    expect(changed.toString("latin1")).toBe(
      body.toString("latin1").replace("\r\n\r\nwhisper\r\n", "\r\n\r\nopenai/whisper-large\r\n"),
    );
    const read = await new Response(changed, { headers: { "content-type": type } }).formData();
    expect(read.get("model")).toBe("openai/whisper-large");
    expect(read.get("stream")).toBe("true");
  });

  it("may have no model", async () => {
    expect(await parseForm(upload([]))).toMatchObject({ model: undefined, modelSpans: [] });
  });

  it.each([
    [
      "two models",
      [
        ["model", "a"],
        ["model", "b"],
      ],
      "400 the multipart form has 2 fields named model; send one",
    ],
    [
      "a long model",
      [["model", "m".repeat(254)]],
      "400 the name of the model is longer than 253 bytes",
    ],
  ] as const)("is refused with %s", async (_, fields, expected) => {
    expect(await refusalOf(upload(fields))).toBe(expected);
  });

  it("is refused if its model is a file", async () => {
    const form = upload([]);
    form.append("model", new Blob(["m"]), "m");
    expect(await refusalOf(form)).toBe(
      "400 the multipart form has a file named model; send the model's name as a field",
    );
  });

  it.each(["kv_transfer_params", "bootstrap_host", "extra_body[kv_transfer_params]", "vllm_xargs"])(
    "has its field %s reported as an engine field",
    async (name) => {
      expect((await parseForm(upload([[name, "{}"]]))).engineFields).toMatchObject([{ name }]);
    },
  );

  it.each([
    ["with a preamble", `x\r\n${field("model", "m")}--b--\r\n`],
    ["with lines that end without a carriage return", field("model", "m").replaceAll("\r", "")],
    ["cut", field("model", "m")],
    ["with a boundary in a longer line", `${field("a", "x\r\n--bc")}--b--`],
    ["with something after its end", `${field("a", "x")}--b--\r\n${field("model", "m")}`],
    ["with an escaped name", `${field('mod\\"el', "m")}--b--`],
    [
      "with an encoded name",
      `--b\r\nContent-Disposition: form-data; name*=utf-8''model\r\n\r\nm\r\n--b--`,
    ],
    [
      "with two dispositions",
      `${field("a", "x", '\r\nContent-Disposition: form-data; name="model"')}--b--`,
    ],
    ["with a folded header", `${field("a", "x", '\r\n ; name="model"')}--b--`],
    ["with an encoding", `${field("model", "m", "\r\nContent-Transfer-Encoding: base64")}--b--`],
    ["with a header without end", `--b\r\nContent-Type: ${"a".repeat(5_000)}`],
    ["of 300 fields", `${field("a", "x").repeat(300)}--b--`],
  ])("%s is not read", (_, body) => {
    expect(parse(body)).toMatchObject({
      unread: expect.stringMatching(/^the multipart form /),
      model: undefined,
      modelSpans: undefined,
    });
  });

  it.each([
    "multipart/form-data",
    "multipart/form-data; boundary=b; boundary=c",
    "multipart/form-data; boundary*=utf-8''b",
    "multipart/form-data; charset=utf-16; boundary=b",
    "multipart/mixed; boundary=json",
  ])("of type %s is not read", (type) => {
    expect(parse(`${field("model", "m")}--b--`, type).unread).toMatch(
      "its content-type has more than a plain boundary",
    );
  });

  it("is read if its boundary contains json", () => {
    const body = `${field("model", "m")}--b--`.replaceAll("--b", "--json");
    expect(parse(body, 'Multipart/Form-Data;boundary="json"').model).toBe("m");
  });
});
