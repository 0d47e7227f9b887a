package io.kubemirror.parity;

import module java.base;

/**
 * Renders the cases as Markdown: all of them, and how kubemirror differs.
 *
 * <p>It is generated from the cases, whose tests fail unless it is true.
 */
final class ParityDocument {

    private final StringBuilder text = new StringBuilder();
    private final List<CaseSection> sections = StaticCases.sections();
    private final List<ParityScenario> parityScenarios =
            Stream.concat(ParityScenarios.all().stream(), ParityScenarios.expired().stream())
                    .toList();

    private ParityDocument() {}

    /** What is treated as equal, and all cases. */
    static String text() {
        ParityDocument document = new ParityDocument();
        document.text.append(
                """
                # Parity with the API server

                The ids of cases begin with the rule that they show. In requests, `{now}` is the newest
                revision, `{a_x}` that of an object, `{token}` the token of the previous answer, and
                `{at-now:/a/x}` a token that continues after a key.
                """);
        document.rules();
        document.sections.forEach(document::section);
        document.scenarioList();
        return document.text.toString();
    }

    /** What is compared, and how kubemirror differs. */
    static String differences() {
        ParityDocument document = new ParityDocument();
        document.introduction();
        document.reasons();
        return document.text.toString();
    }

    private void introduction() {
        int cases = cases().size() + parityScenarios.size();
        long differing = cases().stream().filter(one -> one.difference().isPresent()).count();
        text.append(
                """
                The tests send the same requests to a real API server (the library of Kubernetes 1.36) and
                to a kubemirror that mirrors it. Status, relevant headers, and every byte of the body must
                be equal, revisions included. Of %,d cases, %,d are the same, and %,d differ by design.
                `mvn test -Dtest=ParityDocumentTest` writes all cases, and what the comparison ignores, to
                `target/docs/parity.md`.
                """
                        .formatted(cases, cases - differing, differing));
    }

    private List<ParityCase> cases() {
        return sections.stream().flatMap(section -> section.cases().stream()).toList();
    }

    private void rules() {
        text.append("\n## Treated as equal\n\n");
        Equality.RULES.forEach(rule -> text.append("- ").append(rule).append('\n'));
    }

    private void reasons() {
        text.append("\n### Different by design\n\n");
        cases().stream()
                .flatMap(one -> one.difference().stream())
                .map(Difference::reason)
                .distinct()
                .sorted()
                .forEach(reason -> text.append("- ").append(reason).append('\n'));
    }

    private void section(CaseSection section) {
        text.append("\n## ")
                .append(section.title())
                .append("\n\n| Case | Request | Result |\n| --- | --- | --- |\n");
        for (ParityCase one : section.cases()) {
            row(one.id(), requests(one), result(one));
        }
    }

    private static String requests(ParityCase one) {
        return one.requests().stream()
                .map(request -> "`" + request.text() + "`")
                .collect(Collectors.joining(", then "));
    }

    private static String result(ParityCase one) {
        return one.difference().map(meant -> "different: " + meant.reason()).orElse("same");
    }

    private void scenarioList() {
        text.append("\n## Scenarios\n\n| Rules | Scenario | Result |\n| --- | --- | --- |\n");
        for (ParityScenario parityScenario : parityScenarios) {
            row(parityScenario.rows(), parityScenario.title(), "same");
        }
    }

    private void row(String... cells) {
        for (String cell : cells) {
            text.append("| ").append(cell.replace("|", "\\|")).append(' ');
        }
        text.append("|\n");
    }
}
