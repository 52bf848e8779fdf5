// A menu whose code comes when it is first asked for: until then there is its button alone.
import {
  Suspense,
  useState,
  type ComponentType,
  type LazyExoticComponent,
  type ReactNode,
} from "react";

export interface LazyMenuProps {
  className: string;
  /** What stands in the button. */
  children: ReactNode;
  /** The press that brought the code is not lost. */
  defaultOpen: boolean;
}

export function LazyMenu({
  menu: Menu,
  className,
  children,
}: Omit<LazyMenuProps, "defaultOpen"> & {
  menu: LazyExoticComponent<ComponentType<LazyMenuProps>>;
}) {
  const [isAsked, setAsked] = useState(false);
  const button = (
    <button
      type="button"
      aria-haspopup="menu"
      aria-expanded={false}
      className={className}
      onClick={() => setAsked(true)}
    >
      {children}
    </button>
  );
  if (!isAsked) return button;
  return (
    <Suspense fallback={button}>
      <Menu className={className} defaultOpen>
        {children}
      </Menu>
    </Suspense>
  );
}
