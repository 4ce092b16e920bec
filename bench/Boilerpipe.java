// Runs boilerpipe's article extractor over pages: one JSON line for each page.
//
// usage: java -cp JARS Boilerpipe.java MANIFEST ROUNDS boilerpipe[:CAP]

import de.l3s.boilerpipe.document.TextDocument;
import de.l3s.boilerpipe.extractors.ArticleExtractor;
import de.l3s.boilerpipe.sax.BoilerpipeSAXInput;
import java.io.StringReader;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.xml.sax.InputSource;

final class Boilerpipe {
    private record Page(int line, String text) {}

    /** As many runs at least before the clock counts. */
    private static final int WARM_PAGES = 3000;

    private static final ThreadMXBean CLOCK = ManagementFactory.getThreadMXBean();

    public static void main(String[] args) throws Exception {
        int rounds = Integer.parseInt(args[1]);
        String[] spec = args[2].split(":");
        int cap = spec.length > 1 ? Integer.parseInt(spec[1]) : Integer.MAX_VALUE;
        List<String> rows = Files.readAllLines(Path.of(args[0]));
        List<Page> pages = new ArrayList<>();
        for (int line = 0; line < rows.size(); line++) {
            String[] row = rows.get(line).split("\t", 3);
            if (Integer.parseInt(row[1]) < cap) {
                // Malformed bytes become U+FFFD, as for the other peers.
                byte[] raw = Files.readAllBytes(Path.of(row[2]));
                pages.add(new Page(line, new String(raw, StandardCharsets.UTF_8)));
            }
        }
        measure(pages, rounds, Math.max(1, (WARM_PAGES + pages.size() - 1) / pages.size()));
    }

    /** The first rounds warm up, the compiler of the virtual machine included: not counted. */
    private static void measure(List<Page> pages, int rounds, int warmups) {
        long[][] times = new long[pages.size()][rounds];
        int[] lengths = new int[pages.size()];
        for (int round = -warmups; round < rounds; round++) {
            for (int index = 0; index < pages.size(); index++) {
                long start = CLOCK.getCurrentThreadCpuTime();
                lengths[index] = extract(pages.get(index).text());
                long elapsed = CLOCK.getCurrentThreadCpuTime() - start;
                if (round >= 0) {
                    times[index][round] = elapsed;
                }
            }
        }
        for (int index = 0; index < pages.size(); index++) {
            System.out.printf(
                    Locale.ROOT,
                    "{\"tool\":\"boilerpipe\",\"page\":%d,\"cpu_s\":%.9f,\"out\":%d}%n",
                    pages.get(index).line(), median(times[index]) / 1e9, lengths[index]);
        }
    }

    private static int extract(String text) {
        try {
            InputSource source = new InputSource(new StringReader(text));
            TextDocument document = new BoilerpipeSAXInput(source).getTextDocument();
            ArticleExtractor.INSTANCE.process(document);
            return document.getContent().length();
        } catch (Exception | StackOverflowError error) {
            return 0;
        }
    }

    private static double median(long[] values) {
        Arrays.sort(values);
        int half = values.length / 2;
        return values.length % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2.0;
    }
}
