import * as pulumi from "@pulumi/pulumi";
import { InferenceService, type InferenceServiceArgs } from "../../components/index.ts";
import { openStack, type Stack } from "../../testing/programs/pulumi-stack.ts";

export interface RollingStackOptions {
  readonly kubeconfig: string;
  readonly namespace: string;
  readonly roles: readonly object[];
  /** Image of all containers of the roles. */
  readonly image: string;
  readonly state: string;
  /** Configuration of the stack. Default: none. */
  readonly config?: Record<string, string>;
  /** Further fields of the spec. Default: none. */
  readonly spec?: object;
  /** Whether all containers have a variable with a secret value. Default false. */
  readonly hasSecret?: boolean;
  /** Options of the component. Default: none. */
  readonly opts?: ConstructorParameters<typeof InferenceService>[2];
}

/** Returns the stack of one service, `svc`. */
export const rollingStack = ({
  kubeconfig,
  namespace,
  roles,
  image,
  state,
  config = {},
  spec = {},
  opts = {},
  hasSecret = false,
}: RollingStackOptions): Stack =>
  openStack({
    project: "p",
    stack: namespace,
    program: {
      run: async () => {
        const metadata = { name: "svc", namespace };
        const args = { metadata, roles: structuredClone(roles), ...spec } as InferenceServiceArgs;
        for (const { template } of args.roles as Array<{ template?: Template }>)
          for (const container of template?.spec.containers ?? []) {
            container.image = image;
            if (hasSecret) container.env = [{ name: "TOKEN", value: pulumi.secret("token") }];
          }
        new InferenceService("svc", args, opts);
      },
    },
    config,
    state,
    kubernetes: { kubeconfig },
  });

interface Template {
  readonly spec: { readonly containers: Array<{ image: string; env?: object[] }> };
}
