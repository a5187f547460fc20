import { shortLine } from "./log-cause.ts";

/**
 * Texts that kubelet, containerd and CRI-O put before the registry's response: kubelet 1.36
 * (`pkg/kubelet/images/image_manager.go`), containerd 2.2 (`internal/cri/server/images/image_pull.go`,
 * `core/transfer/local/pull.go`).
 */
const wrappers = [
  /^Back-off pulling image "[^"]*"(: |$)/,
  /^ErrImagePull: /,
  /^rpc error: code = \w+ desc = /,
  /^failed to pull and unpack image "[^"]*": /,
  /^failed to resolve (image|reference)( "[^"]*")?: /,
];

/** Returns the registry's response in the message of a container that waits for its image. */
export function refusalOfImage(image: string | undefined, message = ""): string {
  let rest = message.trim();
  for (const wrapper of wrappers) rest = rest.replace(wrapper, "");
  const [first = "", ...others] = rest.split(": ");
  // The last error names the image again, with the name of its registry.
  const isImage = image !== undefined && first !== "" && `/${first}`.endsWith(`/${image}`);
  return shortLine(isImage ? others.join(": ") : rest);
}
