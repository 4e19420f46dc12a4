import { QueryClientProvider } from "@tanstack/react-query";
import { ErrorBoundary } from "react-error-boundary";
import { BrowserRouter, useRoutes } from "react-router";
import { queryClient } from "../service/query-client.ts";
import { CrashScreen } from "./crash-screen.tsx";
import { routes } from "./routes.tsx";

export function App() {
  return (
    <ErrorBoundary FallbackComponent={CrashScreen}>
      <QueryClientProvider client={queryClient}>
        <BrowserRouter>
          <Pages />
        </BrowserRouter>
      </QueryClientProvider>
    </ErrorBoundary>
  );
}

function Pages() {
  return useRoutes(routes);
}
