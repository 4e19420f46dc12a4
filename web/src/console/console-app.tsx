import { type QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type FunctionComponent, type ReactNode, Suspense } from "react";
import { ErrorBoundary } from "react-error-boundary";
import { BrowserRouter, Navigate, Route, Routes } from "react-router";
import { EmptyState, LoadFailure } from "../ui/empty-state.tsx";
import { Toaster } from "../ui/messages/toaster.tsx";
import { consolePages } from "./console-pages.ts";
import { SessionContext, useConsoleSession, useSessionQuery } from "./console-session.tsx";
import { ConsoleShell } from "./shell/console-shell.tsx";
import { InvitationPage } from "./sign-in/invitation-page.tsx";
import { CommandLinePage, ProofDialog, SignInPage } from "./sign-in/sign-in-page.tsx";
import { Loading } from "./shell/figures.tsx";
import { useZone } from "./shell/texts.ts";

/** The operators' console, below `/operator`. */
export function ConsoleApp({ client }: { readonly client: QueryClient }) {
  return (
    <QueryClientProvider client={client}>
      <BrowserRouter>
        <Routes>
          <Route path="/operator/invitation" element={<InvitationPage />} />
          <Route path="*" element={<SignedIn />} />
        </Routes>
      </BrowserRouter>
      <Toaster />
    </QueryClientProvider>
  );
}

/** The pages of the signed-in operator, or the sign-in at the same address. */
function SignedIn() {
  const session = useSessionQuery();
  // Every time on the pages is written again when another zone is chosen.
  useZone();
  if (session.isPending) return <Loading />;
  if (session.isError) return <LoadFailure text="The console could not be loaded" of={session} />;
  if (session.data === null) return <SignInPage />;
  return (
    <SessionContext value={session.data}>
      <ConsoleShell>
        <Pages />
        <ProofDialog />
      </ConsoleShell>
    </SessionContext>
  );
}

function Pages() {
  const { rights } = useConsoleSession();
  const shown = consolePages.filter(({ right }) => rights.includes(right));
  const [first] = shown;
  return (
    <Routes>
      {first !== undefined && <Route path="/operator" element={<Navigate to={first.path} replace />} />}
      {shown.map(({ path, Page }) => (
        <Route key={path} path={path} element={<LoadedPage Page={Page} />} />
      ))}
      <Route path="/operator/command-line" element={<CommandLinePage />} />
      {consolePages
        .filter((page) => !shown.includes(page))
        .map(({ path }) => (
          <Route key={path} path={path} element={<NoPage title="Your role has no pages here" />} />
        ))}
      <Route path="*" element={<NoPage title="There is no page at this address" />} />
    </Routes>
  );
}

/** A page, once its code has arrived. */
function LoadedPage({ Page }: { readonly Page: FunctionComponent }) {
  return (
    <ErrorBoundary
      fallback={<LoadFailure text="The page could not be loaded" of={{ error: null, isFetching: false, refetch: reload }} />}
    >
      <Suspense fallback={<Loading />}>
        <Page />
      </Suspense>
    </ErrorBoundary>
  );
}

function reload(): void {
  window.location.reload();
}

function NoPage({ title }: { readonly title: string }): ReactNode {
  return <EmptyState as="h1" title={title} text="Choose one in the navigation." />;
}
