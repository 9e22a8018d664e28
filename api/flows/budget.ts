/**
 * What a rehearsal may use of its thread. Its memory is bounded by what it keeps: 2,000 happenings, whose edges and jobs are told in
 * the answer; the limit of the thread's heap is for what nobody thought of.
 */
import { countHappenings, type Happening, type Meter, type Truncation } from '../../domain/flows/rehearse/clockwork.ts';

/** Microseconds of processor time. */
const CPU_US = 2_000_000;
const ANSWER_BYTES = 1024 * 1024;
/** Of the answer, for what a step tells beside its edges and jobs: where it stands, deadlines, permissions, problems of an input. */
const FRAME_BYTES = 256 * 1024;

export interface Budget extends Meter {
  /** Time alone. */
  readonly exhausted: () => 'TIME' | null;
  /** Counts a step that is answered; SIZE where no other has room. */
  readonly answer: (size: number) => 'SIZE' | null;
}

/** `sizeOf`: of what is told of a happening. Times are those of the thread, from now on. */
export function createBudget(sizeOf: (happening: Happening) => number): Budget {
  const happenings = countHappenings();
  const began = process.threadCpuUsage();
  let bytes = 0;
  let ofStep = 0;
  const exhausted = () => {
    const { user, system } = process.threadCpuUsage(began);
    return user + system > CPU_US ? 'TIME' : null;
  };
  return {
    exhausted,
    spent: (): Truncation | null => happenings.spent() ?? exhausted(),
    take(happening) {
      const size = sizeOf(happening);
      if (bytes + ofStep + size > ANSWER_BYTES - FRAME_BYTES) return 'SIZE';
      ofStep += size;
      return happenings.take(happening);
    },
    answer(size) {
      bytes += size;
      ofStep = 0;
      return bytes > ANSWER_BYTES - FRAME_BYTES ? 'SIZE' : null;
    },
  };
}
