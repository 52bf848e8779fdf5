// What `openDialog` opens. It stands once, in the shell.
import { useLocation } from "@tanstack/react-router";
import { Fragment, useEffect } from "react";
import { Dialog } from "./dialog.tsx";
import { useLast } from "./last.ts";
import { closeDialog, useOpened } from "./open-dialog.ts";

/** Another page closes what was opened on this one. */
export function OpenedDialog() {
  const now = useOpened();
  const shown = useLast(now);
  const { pathname } = useLocation();
  useEffect(() => closeDialog, [pathname]);
  const { body, title, ...rest } = shown?.dialog ?? { title: "", body: null };
  return (
    <Dialog open={now !== undefined} onClose={closeDialog} title={title} {...rest}>
      <Fragment key={shown?.key}>{body}</Fragment>
    </Dialog>
  );
}
