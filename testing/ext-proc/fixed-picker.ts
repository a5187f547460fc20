import { Server, ServerCredentials, type ServerDuplexStream } from "@grpc/grpc-js";
import { selfSignedCertificate } from "../../runtime/manager/tls/self-signed.ts";
import {
  headerMap,
  type ProcessingRequest,
  type ProcessingResponse,
  processMethod,
  toStruct,
} from "./messages.ts";

/** A picker without scheduling, for tests of programs that talk to pickers. Speaks full-duplex. */
export interface FixedPicker {
  readonly address: string;
  /** Every message that came, in order. */
  readonly received: readonly ProcessingRequest[];
  stop(): void;
}

const endpointHeader = "x-gateway-destination-endpoint";

/** Sends every request to `endpoint`, or refuses it with 503 if that is undefined. */
export async function startFixedPicker(
  endpoint: string | undefined,
  { tls = false }: { tls?: boolean } = {},
): Promise<FixedPicker> {
  const received: ProcessingRequest[] = [];
  const server = new Server();
  server.addService(
    { Process: processMethod },
    {
      Process(call: ServerDuplexStream<ProcessingRequest, ProcessingResponse>) {
        call.on("data", (message: ProcessingRequest) => {
          received.push(message);
          for (const reply of repliesTo(message, endpoint)) call.write(reply);
        });
        call.on("end", () => call.end());
        call.on("error", () => {});
      },
    },
  );
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", tls ? selfSigned() : insecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  return { address: `127.0.0.1:${port}`, received, stop: () => server.forceShutdown() };
}

const insecure = () => ServerCredentials.createInsecure();

function selfSigned(): ServerCredentials {
  const { cert, key } = selfSignedCertificate("localhost", new Date());
  return ServerCredentials.createSsl(null, [{ cert_chain: cert, private_key: key }]);
}

function repliesTo(message: ProcessingRequest, endpoint: string | undefined): ProcessingResponse[] {
  const { requestHeaders, requestBody, responseHeaders, responseBody } = message;
  if (requestHeaders !== undefined) {
    if (endpoint === undefined) return [{ immediateResponse: { status: { code: 503 } } }];
    const [header] = headerMap({ [endpointHeader]: endpoint }).headers;
    return [
      {
        requestHeaders: {
          response: { headerMutation: { setHeaders: [{ header }] }, clearRouteCache: true },
        },
        dynamicMetadata: toStruct({ "envoy.lb": { [endpointHeader]: endpoint } }),
      },
    ];
  }
  if (responseHeaders !== undefined) return [{ responseHeaders: {} }];
  if (requestBody !== undefined) return [{ requestBody: unchanged(requestBody) }];
  if (responseBody !== undefined) return [{ responseBody: unchanged(responseBody) }];
  return [
    message.requestTrailers === undefined ? { responseTrailers: {} } : { requestTrailers: {} },
  ];
}

const unchanged = (streamedResponse: { body: Buffer; endOfStream: boolean }) => ({
  response: { bodyMutation: { streamedResponse } },
});
