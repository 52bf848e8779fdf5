// Who is signed in, the theme, and the ways out.
import { Menu } from "@base-ui/react/menu";
import { useNavigate } from "@tanstack/react-router";
import { Check, CircleUser, LogOut, ShieldOff } from "lucide-react";
import { signOut } from "../kit/server/sign-out.ts";
import type { LazyMenuProps } from "../kit/page/lazy-menu.tsx";
import { useMe } from "../kit/server/queries.ts";
import { setTheme, themes, useTheme, type Theme } from "../kit/page/theme.ts";

const item =
  "flex items-center gap-2.5 rounded-md px-2.5 py-1.5 outline-none data-highlighted:bg-hover max-md:py-2.5";
const themeWords: Record<Theme, string> = { system: "As the system", light: "Light", dark: "Dark" };

export function AccountMenu({ className, children, defaultOpen }: LazyMenuProps) {
  const { user } = useMe();
  const navigate = useNavigate();
  return (
    <Menu.Root defaultOpen={defaultOpen}>
      <Menu.Trigger className={className}>{children}</Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner side="top" align="start" sideOffset={6} className="z-50">
          <Menu.Popup className="fade w-56 rounded-lg border border-line bg-surface p-1 text-ink shadow-lift outline-none">
            <p className="truncate px-2.5 py-1.5 text-sm text-soft" title={user.email}>
              {user.email}
            </p>
            <Menu.Item className={item} onClick={() => void navigate({ to: "/account" })}>
              <CircleUser size={16} aria-hidden />
              Account
            </Menu.Item>
            <Menu.Separator className="my-1 border-t border-line" />
            <Themes />
            <Menu.Separator className="my-1 border-t border-line" />
            <Menu.Item className={item} onClick={() => void signOut(false)}>
              <LogOut size={16} aria-hidden />
              Sign out
            </Menu.Item>
            <Menu.Item className={item} onClick={() => void signOut(true)}>
              <ShieldOff size={16} aria-hidden />
              Sign out everywhere
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

function Themes() {
  const theme = useTheme();
  return (
    <Menu.RadioGroup value={theme} onValueChange={(value: Theme) => setTheme(value)}>
      <p aria-hidden className="px-2.5 py-1 text-xs font-medium text-soft">
        Theme
      </p>
      {themes.map((one) => (
        <Menu.RadioItem key={one} value={one} closeOnClick={false} className={item}>
          <span className="size-4">
            <Menu.RadioItemIndicator>
              <Check size={16} aria-hidden />
            </Menu.RadioItemIndicator>
          </span>
          {themeWords[one]}
        </Menu.RadioItem>
      ))}
    </Menu.RadioGroup>
  );
}
