// Why a form was not saved: what is wrong in it, or what came of the attempt.
import { TroubleBox } from "../page/trouble-box.tsx";

export function FormTrouble({ fault, error }: { fault: string | undefined; error: unknown }) {
  return (
    <>
      {fault !== undefined && (
        <p role="alert" className="text-bad">
          {fault}
        </p>
      )}
      {error !== null && <TroubleBox error={error} />}
    </>
  );
}
