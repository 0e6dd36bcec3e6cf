// The definitions as loops over all options of every position, and the running bitsets of a bar, in plain C++.
// Tables are int32, filled with -1 by the caller. Heights never decrease.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

using Number = std::int32_t;

static Number mex(const std::vector<std::int64_t>& seen, std::int64_t stamp) {
    Number g = 0;
    while (seen[g] == stamp) ++g;
    return g;
}

// table [passes+1, n_z, n_y]
extern "C" void grundy_bar(const Number* heights, std::ptrdiff_t n_z, std::ptrdiff_t passes, Number* table) {
    const std::ptrdiff_t n_y = heights[n_z - 1] + 1;
    std::vector<std::int64_t> seen(n_z + n_y + 2);
    std::int64_t stamp = 0;
    for (std::ptrdiff_t p = 0; p <= passes; ++p) {
        Number* layer = table + p * n_z * n_y;
        for (std::ptrdiff_t z = 0; z < n_z; ++z)
            for (Number y = 0; y <= heights[z]; ++y) {
                ++stamp;
                for (Number v = 0; v < y; ++v) seen[layer[z * n_y + v]] = stamp;
                for (std::ptrdiff_t w = 0; w < z; ++w) seen[layer[w * n_y + std::min(y, heights[w])]] = stamp;
                if (p > 0 && y + z > 0) seen[layer[(z - n_z) * n_y + y]] = stamp;
                layer[z * n_y + y] = mex(seen, stamp);
            }
    }
}

// table [n_x, n_z, n_y]
extern "C" void grundy_solid(const Number* heights, std::ptrdiff_t n_x, std::ptrdiff_t n_z, Number* table) {
    const std::ptrdiff_t n_y = heights[n_x * n_z - 1] + 1;
    std::vector<std::int64_t> seen(n_x + n_z + n_y);
    std::int64_t stamp = 0;
    for (std::ptrdiff_t x = 0; x < n_x; ++x)
        for (std::ptrdiff_t z = 0; z < n_z; ++z)
            for (Number y = 0; y <= heights[x * n_z + z]; ++y) {
                const auto at = [&](std::ptrdiff_t u, std::ptrdiff_t w) {
                    return table[(u * n_z + w) * n_y + std::min(y, heights[u * n_z + w])];
                };
                ++stamp;
                for (std::ptrdiff_t u = 0; u < x; ++u) seen[at(u, z)] = stamp;
                for (Number v = 0; v < y; ++v) seen[table[(x * n_z + z) * n_y + v]] = stamp;
                for (std::ptrdiff_t w = 0; w < z; ++w) seen[at(x, w)] = stamp;
                table[(x * n_z + z) * n_y + y] = mex(seen, stamp);
            }
}

// columns [n_x, n_z]
extern "C" void p_columns(const Number* heights, std::ptrdiff_t n_x, std::ptrdiff_t n_z, Number* columns) {
    const std::ptrdiff_t n_y = heights[n_x * n_z - 1] + 1;
    std::vector<char> is_p(n_x * n_z * n_y);
    for (std::ptrdiff_t x = 0; x < n_x; ++x)
        for (std::ptrdiff_t z = 0; z < n_z; ++z)
            for (Number y = 0; y <= heights[x * n_z + z]; ++y) {
                const auto at = [&](std::ptrdiff_t u, std::ptrdiff_t w) {
                    return is_p[(u * n_z + w) * n_y + std::min(y, heights[u * n_z + w])];
                };
                char wins = 0;
                for (std::ptrdiff_t u = 0; u < x && !wins; ++u) wins = at(u, z);
                for (Number v = 0; v < y && !wins; ++v) wins = is_p[(x * n_z + z) * n_y + v];
                for (std::ptrdiff_t w = 0; w < z && !wins; ++w) wins = at(x, w);
                if (!wins) {
                    is_p[(x * n_z + z) * n_y + y] = 1;
                    columns[x * n_z + z] = y;
                }
            }
}

// As grundy_bar: what the moves along z reach is one bitset for each y, and one for all y above the heights so far.
extern "C" void grundy_bar_bitsets(const Number* heights, std::ptrdiff_t n_z, std::ptrdiff_t passes, Number* table) {
    using Word = std::uint64_t;
    const Word full = ~Word(0);
    const std::ptrdiff_t n_y = heights[n_z - 1] + 1, words = (n_z + n_y + 1) / 64 + 1;
    for (std::ptrdiff_t p = 0; p <= passes; ++p) {
        Number* layer = table + p * n_z * n_y;
        std::vector<Word> used(n_y * words), top(words), below(words);
        std::vector<std::ptrdiff_t> start(n_y);  // every word before it is full
        std::ptrdiff_t rows = 0;
        for (std::ptrdiff_t z = 0; z < n_z; ++z) {
            for (; rows <= heights[z]; ++rows) std::copy(top.begin(), top.end(), used.begin() + rows * words);
            std::fill(below.begin(), below.end(), 0);
            std::ptrdiff_t below_start = 0;
            Number g = 0;
            for (Number y = 0; y <= heights[z]; ++y) {
                Word* row = used.data() + y * words;
                while (row[start[y]] == full) ++start[y];
                while (below[below_start] == full) ++below_start;
                const Number passed = p > 0 && y + z > 0 ? layer[(z - n_z) * n_y + y] : -1;
                std::ptrdiff_t i = std::max(start[y], below_start);
                Word taken;
                while (true) {
                    taken = row[i] | below[i];
                    if (passed >= 0 && passed / 64 == i) taken |= Word(1) << (passed % 64);
                    if (taken != full) break;
                    ++i;
                }
                g = Number(i * 64) + __builtin_ctzll(~taken);
                layer[z * n_y + y] = g;
                row[i] |= Word(1) << (g % 64);
                below[i] |= Word(1) << (g % 64);
            }
            top[g / 64] |= Word(1) << (g % 64);
        }
    }
}
