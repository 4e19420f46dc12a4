// Traces by OpenTelemetry: `node --import ./deploy/tracing/trace.mjs server/src/main.ts` (docs/operate/monitoring.md).
import { register } from "node:module";
import { FastifyOtelInstrumentation } from "@fastify/otel";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { HttpInstrumentation } from "@opentelemetry/instrumentation-http";
import { PgInstrumentation } from "@opentelemetry/instrumentation-pg";
import { PinoInstrumentation } from "@opentelemetry/instrumentation-pino";
import { NodeSDK } from "@opentelemetry/sdk-node";
import { BatchSpanProcessor } from "@opentelemetry/sdk-trace";
import { removePersonal } from "./personal-attributes.ts";

/** The requests of balancers and Prometheus. */
const PROBES = new Set(["/healthz", "/api/ready", "/metrics"]);

// Shows the instrumentations what is imported, not only what is required.
register("@opentelemetry/instrumentation/hook.mjs", import.meta.url);

const withoutPersonal = {
  onStart() {},
  onEnd: removePersonal,
  forceFlush: async () => {},
  shutdown: async () => {},
};

new NodeSDK({
  // In this order: what is exported has been cleaned.
  spanProcessors: [withoutPersonal, new BatchSpanProcessor({ exporter: new OTLPTraceExporter() })],
  instrumentations: [
    new HttpInstrumentation({
      ignoreIncomingRequestHook: ({ url = "" }) => PROBES.has(url.split("?", 1)[0] ?? ""),
      // Addresses at carriers and the payment provider name calls and payments.
      disableOutgoingRequestInstrumentation: true,
    }),
    new FastifyOtelInstrumentation({ registerOnInitialization: true }),
    new PgInstrumentation({ requireParentSpan: true }),
    new PinoInstrumentation({ disableLogSending: true }),
  ],
}).start();
