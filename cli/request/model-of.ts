import type { IncomingMessage } from "node:http";
import { json } from "node:stream/consumers";
import { kinds } from "../../kubernetes/kinds/index.ts";
import { objectPath } from "../../kubernetes/paths.ts";
import { ownLlmServiceName } from "../../sdk/names.ts";
import type { ApiReader } from "../doctor/api-reader.ts";
import { RequestFailure } from "./failure.ts";

interface Registered {
  readonly spec?: { readonly models?: ReadonlyArray<{ readonly name: string }> };
}

/** Returns the first model that the service registers, otherwise the first model that a model server lists. */
export async function modelOf(
  api: ApiReader | undefined,
  { service, namespace }: { readonly service: string; readonly namespace: string },
  get: (path: string) => Promise<IncomingMessage>,
): Promise<string> {
  const path = objectPath(kinds.LLMService, { namespace, name: ownLlmServiceName(service) });
  const seen = await api?.get<Registered>(path);
  const registered = seen?.state === "seen" ? seen.value.spec?.models?.[0]?.name : undefined;
  if (registered !== undefined) return registered;
  const list = (await json(await get("/models")).catch(() => undefined)) as
    | { data?: ReadonlyArray<{ id?: string }> }
    | undefined;
  const [first] = list?.data ?? [];
  if (first?.id !== undefined) return first.id;
  throw new RequestFailure("GET /v1/models lists no model; name one with --model");
}
