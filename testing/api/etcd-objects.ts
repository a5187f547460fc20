/** The address of the API server's etcd, and the prefix of its keys there. */
export interface EtcdLocation {
  readonly url: string;
  readonly prefix: string;
}

/**
 * Writes an object to etcd, without the checks of the API server, which serves it from then on.
 *
 * @param key key below the prefix, for example `endpointslices/default/pool-epp`
 */
export async function putObject(etcd: EtcdLocation, key: string, object: object): Promise<void> {
  const response = await fetch(`${etcd.url}/v3/kv/put`, {
    method: "POST",
    body: JSON.stringify({
      key: base64(`${etcd.prefix}/${key}`),
      value: base64(JSON.stringify(object)),
    }),
  });
  if (!response.ok) throw new Error(`etcd refused ${key}: ${await response.text()}`);
}

const base64 = (text: string) => Buffer.from(text).toString("base64");
