import type { HookArgs, HookPhase, RunHooks } from "../goal.ts";
import { resource, toStruct } from "./protos.ts";
import type { TransformOptions } from "./registration.ts";
import type { Callback, Callbacks } from "./transforms.ts";

type RegisterHookRequest = InstanceType<typeof resource.RegisterResourceHookRequest>;
type Binding = NonNullable<ReturnType<TransformOptions["getHooks"]>>;

interface Hook {
  readonly callback: Callback;
  readonly onDryRun: boolean;
  readonly ignoreErrors: boolean;
}

const namesOf: Readonly<Record<HookPhase, (binding: Binding) => string[]>> = {
  beforeCreate: (binding) => binding.getBeforeCreateList(),
  afterCreate: (binding) => binding.getAfterCreateList(),
};

/** Code of the program that a preview runs before and after the creation of a resource, by name. */
export class ResourceHooks {
  readonly #hooks = new Map<string, Hook>();
  readonly #callbacks: Callbacks;

  constructor(callbacks: Callbacks) {
    this.#callbacks = callbacks;
  }

  register(request: RegisterHookRequest): void {
    const name = request.getName();
    const callback = request.getCallback();
    if (callback === undefined)
      throw new Error(`resource hook ${JSON.stringify(name)} has no code`);
    if (this.#hooks.has(name))
      throw new Error(`resource hook ${JSON.stringify(name)} is registered twice; rename one`);
    this.#hooks.set(name, {
      callback,
      onDryRun: request.getOnDryRun(),
      ignoreErrors: request.getIgnoreErrors(),
    });
  }

  /**
   * Returns the function that runs the hooks of a resource, or undefined if it has no hooks.
   *
   * @param warn receives the errors of hooks that ignore them
   */
  of(options: TransformOptions, warn: (message: string) => void): RunHooks | undefined {
    const binding = options.getHooks();
    if (binding === undefined) return undefined;
    const all = Object.values(namesOf).flatMap((names) => names(binding));
    if (all.length === 0) return undefined;
    return async (phase, args) => {
      for (const name of namesOf[phase](binding)) await this.#run(name, args, warn);
    };
  }

  async #run(name: string, args: HookArgs, warn: (message: string) => void): Promise<void> {
    const hook = this.#hooks.get(name);
    if (hook === undefined)
      throw new Error(`resource hook ${JSON.stringify(name)} is not registered`);
    if (!hook.onDryRun) return;
    const response = resource.ResourceHookResponse.deserializeBinary(
      await this.#callbacks.invoke(hook.callback, requestOf(args).serializeBinary()),
    );
    const error = response.getError();
    if (error === "") return;
    if (!hook.ignoreErrors) throw new Error(error);
    warn(error);
  }
}

function requestOf(args: HookArgs) {
  const request = new resource.ResourceHookRequest();
  request.setUrn(args.urn);
  request.setId(args.id);
  request.setName(args.name);
  request.setType(args.type);
  request.setNewInputs(toStruct(args.newInputs));
  if (args.newOutputs !== undefined) request.setNewOutputs(toStruct(args.newOutputs));
  return request;
}
