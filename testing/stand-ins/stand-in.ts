/** Something that plays a part of a cluster. */
export interface StandIn {
  /** Ends it; what it made stays. */
  stop(): Promise<void>;
}

export interface StandInOptions {
  /** Namespace that it works in. Default: all. */
  namespace?: string;
  /** Receives what a controller would log as an error. */
  onError: (error: unknown) => void;
}
