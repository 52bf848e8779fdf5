// Short messages in a corner, read aloud: the corner is a live region, and bad news is an alert beside it.
import { Toast } from "@base-ui/react/toast";
import { CircleCheck, TriangleAlert, X } from "lucide-react";
import { useEffect } from "react";
import { IconButton } from "./button.tsx";
import { showSaid } from "./say.ts";
import { WithRequestIds } from "../server/request-id.tsx";

const manager = Toast.createToastManager();

export function Toasts() {
  // The corner is there before anything stands in it: that is what is read aloud.
  useEffect(
    () =>
      showSaid(({ title, isBad }) =>
        manager.add(
          isBad
            ? { title, type: "bad", priority: "high", timeout: 12_000 }
            : { title, type: "good", timeout: 5_000 },
        ),
      ),
    [],
  );
  return (
    <Toast.Provider toastManager={manager} limit={3}>
      <Toast.Portal>
        <Toast.Viewport className="toasts fixed right-3 bottom-3 z-60 w-[min(360px,calc(100vw-24px))] outline-none">
          <List />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

/**
 * To the library it is a dialog, hidden where it is bad news: but nothing here waits for an answer, and what takes
 * the focus may not be hidden.
 */
const notADialog = { role: "group", "aria-modal": undefined, "aria-hidden": undefined };

function List() {
  const { toasts } = Toast.useToastManager();
  return toasts.map((toast) => {
    const Icon = toast.type === "bad" ? TriangleAlert : CircleCheck;
    return (
      <Toast.Root
        key={toast.id}
        toast={toast}
        {...notADialog}
        // The alert beside the corner has said it already.
        aria-live={toast.type === "bad" ? "off" : undefined}
        className="fade rounded-lg border border-line bg-surface p-3 text-ink shadow-lift"
      >
        <Toast.Content className="flex items-start gap-2.5">
          <Icon
            size={18}
            aria-hidden
            className={`mt-0.5 shrink-0 ${toast.type === "bad" ? "text-bad" : "text-good"}`}
          />
          {/* No heading: what has just happened is no part of the page's outline. */}
          <Toast.Title render={<p />} className="min-w-0 flex-1 wrap-anywhere">
            {typeof toast.title === "string" && <WithRequestIds text={toast.title} />}
          </Toast.Title>
          <Toast.Close
            render={<IconButton label="Dismiss" className="-m-1" />}
            aria-label="Dismiss"
            aria-hidden={undefined}
          >
            <X size={15} aria-hidden />
          </Toast.Close>
        </Toast.Content>
      </Toast.Root>
    );
  });
}
