import { createServer, request as httpRequest, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { ModelServer } from "./model-server.ts";

/** How a pod fails. */
export const faults = [
  ...["500", "503", "429", "reset", "refused", "hang", "garbage", "wrong model", "empty"],
  ...["metrics gone", "slow"],
] as const;
export type Fault = (typeof faults)[number];

/** Milliseconds by which a slow pod delays each answer. */
const slowBy = 500;

/** The address of a pod: passes requests to a simulated model server, until it fails. */
export class FaultyServer {
  readonly ip: string;
  readonly port: number;
  readonly #behind: ModelServer;
  readonly #http: Server;
  readonly #sockets = new Set<Socket>();
  #fault: Fault | undefined;
  /** Requests for answers that came, whatever became of them. */
  requests = 0;

  constructor(ip: string, port: number, behind: ModelServer) {
    this.ip = ip;
    this.port = port;
    this.#behind = behind;
    this.#http = createServer((request, response) => {
      if (request.method === "GET") {
        if (this.#fault === "metrics gone") refuse(response, 500, "no metrics");
        else this.#pass(request.url ?? "", "GET", "", response);
        return;
      }
      this.requests += 1;
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        this.#answer(request.url ?? "", Buffer.concat(chunks).toString(), response);
      });
    });
    this.#http.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    });
    this.#http.keepAliveTimeout = 0;
  }

  listen(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#http.once("error", reject).listen(this.port, this.ip, resolve);
    });
  }

  async fail(fault: Fault): Promise<void> {
    this.#fault = fault;
    if (fault === "refused") await this.stop();
  }

  async recover(): Promise<void> {
    const { listening } = this.#http;
    this.#fault = undefined;
    // Requests that hang end with the program that is restarted.
    for (const socket of this.#sockets) socket.destroy();
    if (!listening) await this.listen();
  }

  stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    return new Promise((resolve) => this.#http.close(() => resolve()));
  }

  #answer(path: string, body: string, response: ServerResponse): void {
    switch (this.#fault) {
      case "500":
      case "503":
      case "429":
        refuse(response, Number(this.#fault), "failed");
        return;
      case "reset":
        response.socket?.resetAndDestroy();
        return;
      case "hang":
        return;
      case "garbage":
        response.writeHead(200, { "content-type": "application/json" }).end("\u0000\u0001garbage");
        return;
      case "wrong model":
        refuse(response, 404, "The model `base` does not exist.");
        return;
      case "empty":
        response.writeHead(200, { "content-type": "application/json" }).end();
        return;
      case "slow":
        setTimeout(() => this.#pass(path, "POST", body, response), slowBy);
        return;
      default:
        this.#pass(path, "POST", body, response);
    }
  }

  #pass(path: string, method: string, body: string, response: ServerResponse): void {
    const { ip, port } = this.#behind;
    const passed = httpRequest(
      { host: ip, port, path, method, headers: { "content-type": "application/json" } },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, { ...answer.headers });
        answer.pipe(response);
      },
    );
    passed.on("error", () => response.destroy());
    response.on("close", () => passed.destroy());
    passed.end(body);
  }
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ error: { message, code: status } }));
}
