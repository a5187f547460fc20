import { credentials } from "@grpc/grpc-js";
import { toOutputValues } from "../property-value.ts";
import { callback, callbackGrpc, fromStruct, resource, toStruct } from "./protos.ts";
import type { Registration } from "./registration.ts";

export type Callback = InstanceType<typeof callback.Callback>;

/** Calls callbacks of the program, over one connection per program. */
export class Callbacks {
  readonly #clients = new Map<string, InstanceType<typeof callbackGrpc.CallbacksClient>>();

  async transform(transform: Callback, registration: Registration): Promise<Registration> {
    const request = new resource.TransformRequest();
    request.setType(registration.type);
    request.setName(registration.name);
    request.setCustom(registration.custom);
    request.setParent(registration.parent);
    request.setProperties(toStruct(registration.inputs));
    request.setOptions(registration.options);
    const answer = await this.invoke(transform, request.serializeBinary());
    const response = resource.TransformResponse.deserializeBinary(answer);
    return {
      ...registration,
      inputs: response.hasProperties() ? fromStruct(response.getProperties()) : registration.inputs,
      options: response.getOptions() ?? registration.options,
    };
  }

  close(): void {
    for (const client of this.#clients.values()) client.close();
  }

  /** Calls a function of the program with a serialized request. */
  invoke(target: Callback, request: Uint8Array): Promise<Uint8Array> {
    const address = target.getTarget();
    const client =
      this.#clients.get(address) ??
      new callbackGrpc.CallbacksClient(address, credentials.createInsecure(), {
        "grpc.max_receive_message_length": -1,
        "grpc.max_send_message_length": -1,
      });
    this.#clients.set(address, client);
    const message = new callback.CallbackInvokeRequest();
    message.setToken(target.getToken());
    message.setRequest(request);
    return new Promise((resolve, reject) => {
      client.invoke(message, (error, response) =>
        error ? reject(new Error(error.details)) : resolve(response.getResponse_asU8()),
      );
    });
  }
}

/**
 * Runs the transforms of a resource, then of its ancestors, then of the stack, each on the result of the previous one.
 */
export async function transformed(
  registration: Registration,
  own: readonly Callback[],
  outer: readonly Callback[],
  callbacks: Callbacks,
): Promise<Registration> {
  if (own.length + outer.length === 0) return registration;
  // Only a resource's own transforms receive the dependencies of each property, as in the Pulumi engine.
  const dependencies = own.length > 0 ? registration.propertyDependencies : {};
  let current = { ...registration, inputs: toOutputValues(registration.inputs, dependencies) };
  for (const transform of [...own, ...outer])
    current = await callbacks.transform(transform, current);
  return current;
}
