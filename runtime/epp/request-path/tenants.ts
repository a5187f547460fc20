import { createHash } from "node:crypto";
import { defaultFairnessId, peerOf } from "../../../scheduling/requests/clients.ts";
import type { RequestHeaders } from "../../../scheduling/requests/request-headers.ts";
import { limits } from "../../limits.ts";

export interface TenantOptions {
  /**
   * Header in which the gateway names the tenant, in lower case, or two headers separated by a comma, whose values
   * together name the tenant. Undefined if the gateway sets no such header.
   */
  readonly header: string | undefined;
  /** Tenants that one client address may have concurrently; 0 for no limit. Default `limits.tenantsOfAddress`. */
  readonly perAddress?: number | undefined;
}

/** Time after its last request when a tenant no longer counts for its address, in ms. Idle flows last as long. */
const memory = 5 * 60_000;

/**
 * The tenants of requests. Only a header that the gateway sets names a tenant: with its own header, a client could have
 * any number of tenants or use the name of another one. One client address has a limited number of tenants; requests
 * beyond it share the default flow.
 */
export class Tenants {
  readonly #headers: readonly string[];
  readonly #perAddress: number;
  /** Time of the last request of each tenant, by address. The address that was idle for longest is first. */
  readonly #byAddress = new Map<string, Map<string, number>>();

  constructor({ header, perAddress = limits.tenantsOfAddress.value }: TenantOptions) {
    this.#headers = header?.split(",") ?? [];
    this.#perAddress = perAddress;
  }

  /** Returns the tenant of a request; undefined if the gateway names none. */
  of(headers: RequestHeaders, now: number): string | undefined {
    const values = this.#headers.map((name) => headers.get(name));
    if (values.length === 0 || !values.every(Boolean)) return undefined;
    // An issuer contains no spaces.
    const tenant = shortened(values.join(" "));
    const address = peerOf(headers);
    if (address === undefined || this.#perAddress === 0) return tenant;
    return this.#hasCapacity(address, tenant, now) ? tenant : defaultFairnessId;
  }

  #hasCapacity(address: string, tenant: string, now: number): boolean {
    const tenants = this.#byAddress.get(address) ?? new Map<string, number>();
    this.#byAddress.delete(address);
    this.#byAddress.set(address, tenants);
    if (this.#byAddress.size > limits.tenantAddresses.value)
      this.#byAddress.delete(this.#byAddress.keys().next().value as string);
    for (const [other, at] of tenants) {
      if (now - at < memory) break;
      tenants.delete(other);
    }
    if (!tenants.has(tenant) && tenants.size >= this.#perAddress) return false;
    tenants.delete(tenant);
    tenants.set(tenant, now);
    return true;
  }
}

function shortened(tenant: string): string {
  if (tenant.length <= limits.tenantId.value) return tenant;
  return createHash("sha256").update(tenant).digest("base64");
}
