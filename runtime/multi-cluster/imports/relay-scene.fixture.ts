import {
  createServer,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
  type ServerOptions,
} from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import { Client, type ClientDuplexStream, credentials, Metadata, status } from "@grpc/grpc-js";
import { expect } from "vitest";
import { reachOf } from "../../../sdk/spec/reachable-address.ts";
import { hopsHeader } from "../../../sdk/topology/multi-cluster-names.ts";
import { BodyBudget } from "../../epp/request-path/body-budget.ts";
import {
  type Answer,
  body,
  type ConversationOptions,
  type Events,
  newEvents,
  post,
  responseBody,
  standInPicker,
  toAnswer,
  toBytes,
} from "../../epp/server/conversation.fixture.ts";
import { extProcPath, extProcService, goesOn } from "../../epp/server/ext-proc-service.ts";
import { GrpcServer } from "../../manager/grpc/grpc-server.ts";
import { HeldBytes } from "../../manager/held-bytes.ts";
import type { NextStep } from "./cluster-route.ts";
import { hopsOfValue } from "./hop-mark.ts";
import { PickerConnection } from "./picker-connection.ts";
import { type Destination, maxKeptBytes, RelayStream } from "./relay-stream.ts";
import { plaintext } from "./remote-security.ts";

const identity = (bytes: Buffer): Buffer => bytes;
const anywhere = reachOf({ networks: undefined, loopback: true });
/** Long enough for a busy machine. */
export const soon = { timeout: 10_000 };
export const prompt = '{"model":"m","prompt":"hello"}';

export interface Conversation {
  readonly call: ClientDuplexStream<Buffer, Buffer>;
  readonly answers: Answer[];
  readonly ended: Promise<{ code: number; details: string }>;
  received(count: number): Promise<void>;
}

/** Relays streams to pickers of other clusters, over real HTTP/2. */
export class RelayScene {
  readonly destinations: Destination[] = [];
  /** Events of the relay. */
  readonly told: string[] = [];
  readonly outcomes: string[] = [];
  /** Hop counts for which destinations were requested. */
  readonly asked: number[] = [];
  readonly room = new BodyBudget({
    maxBody: maxKeptBytes,
    maxTotal: 2 * maxKeptBytes,
    now: Date.now,
  });
  readonly held = new HeldBytes(4 * 2 ** 20);
  readonly #cleanups: Array<() => unknown> = [];
  #client: Client | undefined;

  static async start(): Promise<RelayScene> {
    const scene = new RelayScene();
    await scene.serve((stream, headers) => scene.#relay(stream, headers));
    return scene;
  }

  async stop(): Promise<void> {
    for (const cleanup of this.#cleanups.splice(0).reverse()) await cleanup();
  }

  /** Starts a server with this handler, which the client uses from then on. */
  async serve(
    serve: (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void,
  ): Promise<void> {
    const server = new GrpcServer({ [extProcPath]: serve });
    const port = await server.listen(0, "127.0.0.1");
    const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
    this.#client = client;
    this.#cleanups.push(
      () => server.abort(),
      () => client.close(),
    );
  }

  #relay(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    const relay = new RelayStream(stream, {
      held: this.held,
      destinations: (hops) => {
        this.asked.push(hops);
        return hops < 1 ? this.destinations : [];
      },
      hops: hopsOfValue(headers[hopsHeader]),
      importName: "ns/pool",
      maxReceiveBytes: -1,
      budget: this.room,
      proxyGoesOn: goesOn(headers),
      events: {
        sent: (cluster) => this.told.push(`to ${cluster}`),
        failedOver: (cluster) => this.told.push(`on from ${cluster}`),
        lost: (cluster) => this.told.push(`lost ${cluster}`),
      },
    });
    stream.on("close", () => {
      relay.close();
      this.outcomes.push(relay.outcome);
    });
  }

  #reach(name: string, port: number): void {
    const connection = new PickerConnection({
      addresses: [{ host: "127.0.0.1", port }],
      service: "epp",
      cluster: name,
      reach: anywhere,
      security: plaintext,
      onLost: () => {},
    });
    this.#cleanups.push(() => connection.close());
    const open = (mayLeave: boolean, hops: number) => connection.open(mayLeave, hops);
    const step: NextStep = { kind: "picker", open, reach: anywhere };
    const declined = () => this.told.push(`${name} has none`);
    const destination = { name, usable: true, next: () => step, declined };
    this.destinations.push(destination);
  }

  /** Adds a cluster with a picker of this project. */
  async cluster(name: string, options: ConversationOptions = {}): Promise<Events> {
    const events = newEvents();
    const { serve } = extProcService(standInPicker(options, events), () => {});
    const server = new GrpcServer({ [extProcPath]: serve });
    const port = await server.listen(0, "127.0.0.1");
    this.#cleanups.push(() => server.abort());
    this.#reach(name, port);
    return events;
  }

  /** Adds a cluster whose picker handles each stream with `serve`. */
  async faultyCluster(
    name: string,
    serve: (
      stream: ServerHttp2Stream,
      sockets: ReadonlySet<Socket>,
      headers: IncomingHttpHeaders,
    ) => void,
    options: ServerOptions = {},
  ): Promise<void> {
    const server = createServer(options);
    const sockets = new Set<Socket>();
    server.on("connection", (socket: Socket) => {
      sockets.add(socket);
      socket.on("close", () => sockets.delete(socket));
    });
    server.on("stream", (stream, headers) => {
      stream.on("error", () => {});
      serve(stream, sockets, headers);
    });
    server.on("sessionError", () => {});
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    this.#cleanups.push(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    this.#reach(name, (server.address() as AddressInfo).port);
  }

  /** Adds a cluster at a port on which nothing listens. */
  async nobody(name: string): Promise<void> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    this.#reach(name, port);
  }

  open(...messages: object[]): Conversation {
    return this.openWith(new Metadata(), ...messages);
  }

  openWith(metadata: Metadata, ...messages: object[]): Conversation {
    const call = (this.#client as Client).makeBidiStreamRequest(
      extProcPath,
      identity,
      identity,
      metadata,
    );
    const answers: Answer[] = [];
    const ended = new Promise<{ code: number; details: string }>((resolve) =>
      call.on("status", resolve),
    );
    call.on("error", () => {});
    call.on("data", (bytes: Buffer) => answers.push(toAnswer(bytes)));
    for (const message of messages) call.write(toBytes(message));
    return {
      ...{ call, answers, ended },
      received: (count) => expect.poll(() => answers.length, soon).toBeGreaterThanOrEqual(count),
    };
  }

  /** Sends a request and its response, and returns the answers. */
  async ask(text = prompt): Promise<Answer[]> {
    const { call, answers, received, ended } = this.open(post(), body(text));
    await received(2);
    call.write(toBytes({ responseHeaders: {} }));
    call.write(toBytes(responseBody("answer", true)));
    await received(4);
    call.end();
    expect(await ended).toMatchObject({ code: status.OK });
    return answers;
  }
}

export const served = [
  { to: "requestHeaders", set: { "x-gateway-destination-endpoint": "10.0.0.1:8000" } },
  { to: "requestBody", body: prompt },
  { to: "responseHeaders" },
  { to: "responseBody", body: "answer", endOfStream: true },
];
