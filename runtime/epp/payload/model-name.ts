import { RequestError } from "../../../scheduling/requests/request-error.ts";
import { limits } from "../../limits.ts";

/** @throws RequestError BadRequest for a name that is too long, since responses, metrics and logs repeat it */
export function assertModelName(name: string): void {
  const most = limits.modelName.value;
  if (name.length <= most && Buffer.byteLength(name) <= most) return;
  throw modelNameTooLong();
}

export const modelNameTooLong = (): RequestError =>
  new RequestError(
    "BadRequest",
    `the name of the model is longer than ${limits.modelName.value} bytes`,
  );
