package io.kubemirror.reflector;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** BO-7. */
class TurnTest {

    private final Turns turns = new Turns(1);
    private final Turn one = new Turn(turns);
    private final Turn other = new Turn(turns);

    @AfterEach
    void clear() {
        Thread.interrupted();
    }

    @Test
    void while_one_fetches_the_other_waits() throws Exception {
        one.hold(true);

        assertThatThrownBy(this::takeOtherUnlessItHasToWait)
                .isInstanceOf(InterruptedException.class);
    }

    @Test
    @Timeout(30)
    void fetching_on_and_on_takes_one_turn_and_resting_gives_it_back() throws Exception {
        one.hold(true);
        one.hold(true);
        one.hold(false);

        other.hold(true);

        assertThatThrownBy(this::takeOneUnlessItHasToWait).isInstanceOf(InterruptedException.class);
    }

    @Test
    void what_is_given_up_twice_is_given_back_once() throws Exception {
        one.hold(true);
        one.giveUp();
        one.giveUp();
        one.hold(true);

        assertThatThrownBy(this::takeOtherUnlessItHasToWait)
                .isInstanceOf(InterruptedException.class);
    }

    private void takeOneUnlessItHasToWait() throws InterruptedException {
        Thread.currentThread().interrupt();
        one.hold(true);
    }

    /** A thread that is interrupted beforehand cannot wait. */
    private void takeOtherUnlessItHasToWait() throws InterruptedException {
        Thread.currentThread().interrupt();
        other.hold(true);
    }
}
