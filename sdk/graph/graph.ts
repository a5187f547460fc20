/** Objects of a plan and the traffic between them, before any format. */

export interface GraphNode {
  /** Letters and digits, which are valid in every format. */
  readonly id: string;
  /** `HTTPRoute`, `2 LeaderWorkerSets`; empty for the client. */
  readonly kind: string;
  readonly name: string;
  /** Lines below the name, such as `2 replicas of 4 pods`. */
  readonly facts: readonly string[];
  /** Indexes of its objects in the plan; none for the client and for objects that the plan only refers to. */
  readonly objects: readonly number[];
}

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  readonly label: string;
  /** Whether it carries decisions or model files instead of requests and KV caches. */
  readonly isControl: boolean;
}

/** Nodes inside one frame: the gang of a PodGroup, or the objects that one Deployment needs. */
export interface GraphGroup {
  readonly id: string;
  readonly title: string;
  readonly nodes: readonly string[];
  /** Indexes of the objects that the frame represents. */
  readonly objects: readonly number[];
}

export interface Graph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  /** Groups without common nodes. */
  readonly groups: readonly GraphGroup[];
}

type Written<T> = Omit<T, "id">;

/** Collects nodes, edges and groups, and numbers them. */
export class GraphBuilder {
  readonly #nodes: GraphNode[] = [];
  readonly #edges = new Map<string, GraphEdge>();
  readonly #groups: GraphGroup[] = [];

  addNode(node: Written<GraphNode>): string {
    const id = `n${this.#nodes.length}`;
    this.#nodes.push({ id, ...node });
    return id;
  }

  /** Adds an edge, unless it exists already. */
  addEdge(from: string, to: string, label: string, isControl = false): void {
    this.#edges.set(JSON.stringify([from, to, label]), { from, to, label, isControl });
  }

  addGroup(group: Written<GraphGroup>): void {
    this.#groups.push({ id: `g${this.#groups.length}`, ...group });
  }

  get graph(): Graph {
    return { nodes: this.#nodes, edges: [...this.#edges.values()], groups: this.#groups };
  }
}
