/** The faults that only a time limit ends. */
import { checkFaults } from './fault-checks.ts';
import { namesOf } from './fault-rows.ts';

checkFaults(namesOf({ isSlow: true }));
