// What was shown last: the words of a dialog stay while it fades out.
import { useEffect, useState } from "react";

export function useLast<T>(value: T | undefined): T | undefined {
  const [last, setLast] = useState(value);
  useEffect(() => {
    if (value !== undefined) setLast(value);
  }, [value]);
  return value ?? last;
}
