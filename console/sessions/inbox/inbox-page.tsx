// What waits for a person.
export function Page() {
  return <h1>Inbox</h1>;
}
