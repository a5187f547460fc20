import type { Log } from "../../manager/log.ts";
import { type RemoteSecurity, secured } from "../imports/remote-security.ts";
import { type RemoteTlsOptions, readRemoteTls, watchRemoteTls } from "../imports/remote-tls.ts";

/**
 * Creates TLS security from files that are read again when they change.
 *
 * @param onChange called when the files have changed
 */
export async function watchedTls(
  options: RemoteTlsOptions,
  namespace: string,
  log: Log,
  onChange: () => void,
): Promise<{ readonly security: RemoteSecurity; stop(): void }> {
  let files = await readRemoteTls(options);
  return {
    security: secured(options, () => files, namespace),
    stop: watchRemoteTls({
      options,
      current: files,
      onChange(changed) {
        files = changed;
        onChange();
        log.info("certificates for other clusters reloaded");
      },
      onError: (error) => log.error("certificates for other clusters not reloaded", error),
    }),
  };
}
