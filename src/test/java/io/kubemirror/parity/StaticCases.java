package io.kubemirror.parity;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** All sections of cases that run while nothing changes, in the order of the rules. */
final class StaticCases {

    private StaticCases() {}

    static List<CaseSection> sections() {
        Map<String, Integer> counted = new HashMap<>();
        return Stream.of(
                        PathCases.sections(),
                        DiscoveryCases.sections(),
                        NegotiationCases.sections(),
                        TransformCases.sections(),
                        SelectorCases.sections(),
                        ShardCases.sections(),
                        OptionCases.sections(),
                        ListCases.sections(),
                        WatchCases.sections())
                .flatMap(List::stream)
                .map(section -> section.numbered(counted))
                .toList();
    }
}
