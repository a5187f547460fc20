import type { Http2Stream } from "node:http2";

const addresses = new WeakMap<object, string>();

/** Returns the address of a stream's peer, which is looked up once per connection; empty if it has disconnected. */
export function peerAddress({ session }: Http2Stream): string {
  if (session === undefined || session.destroyed) return "";
  const known = addresses.get(session);
  if (known !== undefined) return known;
  const address = session.socket.remoteAddress ?? "";
  addresses.set(session, address);
  return address;
}
