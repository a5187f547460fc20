import type * as pulumi from "@pulumi/pulumi";
import type { LocalReference } from "./gateway.ts";

/** What an HTTPRoute does to a request or a response on its way: `type`, and the field that it names. */
export interface HTTPRouteFilter {
  /** RequestHeaderModifier, ResponseHeaderModifier, RequestMirror, RequestRedirect, URLRewrite or ExtensionRef. */
  type: pulumi.Input<string>;
  requestHeaderModifier?: pulumi.Input<HTTPHeaderModifier>;
  responseHeaderModifier?: pulumi.Input<HTTPHeaderModifier>;
  requestMirror?: pulumi.Input<HTTPRequestMirror>;
  requestRedirect?: pulumi.Input<HTTPRequestRedirect>;
  urlRewrite?: pulumi.Input<HTTPUrlRewrite>;
  /** An object of the gateway's own. */
  extensionRef?: pulumi.Input<LocalReference>;
  /** Experimental channel. */
  cors?: pulumi.Inputs;
  /** Experimental channel. */
  externalAuth?: pulumi.Inputs;
}

export interface HTTPHeaderModifier {
  /** Written over what is there. */
  set?: pulumi.Input<pulumi.Input<HTTPHeader>[]>;
  add?: pulumi.Input<pulumi.Input<HTTPHeader>[]>;
  /** Names. */
  remove?: pulumi.Input<pulumi.Input<string>[]>;
}

export interface HTTPHeader {
  name: pulumi.Input<string>;
  value: pulumi.Input<string>;
}

/** A copy of requests, whose answers are dropped. Default: of all. */
export interface HTTPRequestMirror {
  backendRef: pulumi.Input<MirrorBackendRef>;
  percent?: pulumi.Input<number>;
  fraction?: pulumi.Input<MirrorFraction>;
}

export interface MirrorBackendRef {
  /** Default: the core group. */
  group?: pulumi.Input<string>;
  /** Default Service. */
  kind?: pulumi.Input<string>;
  name: pulumi.Input<string>;
  /** Default: the route's namespace. */
  namespace?: pulumi.Input<string>;
  /** Needed where the backend is a Service. */
  port?: pulumi.Input<number>;
}

export interface MirrorFraction {
  numerator: pulumi.Input<number>;
  /** Default 100. */
  denominator?: pulumi.Input<number>;
}

export interface HTTPRequestRedirect {
  /** http or https. */
  scheme?: pulumi.Input<string>;
  hostname?: pulumi.Input<string>;
  path?: pulumi.Input<HTTPPathModifier>;
  port?: pulumi.Input<number>;
  /** 301 or 302. Default 302. */
  statusCode?: pulumi.Input<number>;
}

export interface HTTPUrlRewrite {
  hostname?: pulumi.Input<string>;
  path?: pulumi.Input<HTTPPathModifier>;
}

export interface HTTPPathModifier {
  /** ReplaceFullPath or ReplacePrefixMatch: which of the other two is set. */
  type: pulumi.Input<string>;
  replaceFullPath?: pulumi.Input<string>;
  replacePrefixMatch?: pulumi.Input<string>;
}
