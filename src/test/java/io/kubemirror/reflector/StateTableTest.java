package io.kubemirror.reflector;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import org.junit.jupiter.api.Test;

/**
 * The table in {@code src/docs/reflector.md} equals the tests, row by row, and its picture. {@link
 * StateMachineHarness} checks that a test goes through the rows it names, and that the table lists
 * every transition of a test.
 */
class StateTableTest {

    private static final List<Class<?>> TESTS =
            List.of(StateMachineTest.class, OverBudgetTest.class, ReflectorTest.class);

    private static final String COURSES = StateMachineTest.COURSES;

    private final StateTable table = new StateTable();

    @Test
    void transition_rows_of_table_and_tests_are_identical() {
        Set<String> tested =
                TESTS.stream()
                        .flatMap(test -> Arrays.stream(test.getDeclaredMethods()))
                        .flatMap(StateTableTest::rows)
                        .collect(Collectors.toCollection(TreeSet::new));
        (StateMachineTest.TRANSITIONS + StateMachineTest.FIFTH)
                .lines()
                .map(transition -> transition.substring(0, transition.indexOf('|')).strip())
                .forEach(tested::add);
        COURSES.lines()
                .filter(course -> !course.startsWith("#"))
                .flatMap(course -> Stream.of(course.split(" \\| ", -1)[1].split(" & ", -1)))
                .filter(row -> !row.equals("''"))
                .forEach(tested::add);

        assertThat(tested).isEqualTo(table.rows());
    }

    @Test
    void every_state_has_a_transition_row() {
        Set<String> states =
                Arrays.stream(ReflectorState.class.getPermittedSubclasses())
                        .map(Class::getSimpleName)
                        .collect(Collectors.toSet());
        states.add("any");

        assertThat(table.rows())
                .extracting(row -> row.substring(0, row.indexOf(':')))
                .hasSameElementsAs(states);
    }

    @Test
    void picture_has_the_states_and_transitions_of_the_table() {
        assertThat(StateTable.pictureArrows()).isEqualTo(table.arrows());
    }

    private static Stream<String> rows(Method method) {
        TransitionRow row = method.getAnnotation(TransitionRow.class);
        return row == null ? Stream.of() : Arrays.stream(row.value());
    }
}
